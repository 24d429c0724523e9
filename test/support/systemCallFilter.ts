import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The groups of system calls of `systemd-analyze syscall-filter`, of the oldest systemd that the unit is for. */
const { groups } = JSON.parse(readFileSync(new URL('./systemCallGroups.json', import.meta.url), 'utf8')) as {
  groups: Readonly<Record<string, readonly string[]>>
}

const PROGRAM = fileURLToPath(new URL('./underSystemCallFilter.py', import.meta.url))
const LIBRARY = 'import ctypes; ctypes.CDLL("libseccomp.so.2")'

/** Why programs cannot be run under a filter here; CI must not leave that out. */
export const FILTER_SKIP =
  spawnSync('python3', ['-c', LIBRARY]).status !== 0 && process.env['CI'] !== 'true'
    ? 'no python3 with libseccomp.so.2 on this machine'
    : false

/** The system calls that the lines `SystemCallFilter=` of a unit allow, in their order (systemd.exec(5)). */
export function allowedCalls(unit: string): ReadonlySet<string> {
  const allowed = new Set<string>()
  for (const [, line = ''] of unit.matchAll(/^SystemCallFilter=(.*)$/gm)) {
    const isDenied = line.startsWith('~')
    for (const call of line.replace(/^~/, '').split(' ').flatMap(expand)) {
      if (isDenied) allowed.delete(call)
      else allowed.add(call)
    }
  }
  return allowed
}

/** Words to put before a program so that every other call fails as the unit has it. */
export function underFilter(allowed: ReadonlySet<string>): readonly string[] {
  return ['python3', PROGRAM, [...allowed].join()]
}

function expand(name: string): readonly string[] {
  if (!name.startsWith('@')) return [name]
  const calls = groups[name]
  if (calls === undefined) throw new Error(`no group ${name}: see systemd-analyze syscall-filter`)
  return calls.flatMap(expand)
}
