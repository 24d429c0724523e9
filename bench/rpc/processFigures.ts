import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
/** Places after the name of the process in `/proc/<pid>/stat`. */
const PARENT = 1
const USER_TIME = 11
const SYSTEM_TIME = 12

/** Processor time that a process and its descendants have used, all threads, in seconds. */
export function processorSeconds(pid: number): number {
  const ticks = processTree(pid).map((member) => {
    const fields = statOf(member)
    return fields === null ? 0 : Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])
  })
  return ticks.reduce((sum, item) => sum + item, 0) / TICKS_PER_SECOND
}

/** Resident memory of a process and its descendants in MiB, mapped files included. */
export function residentMiB(pid: number): number {
  return processTree(pid).reduce((sum, member) => sum + memoryOf(member, 'VmRSS'), 0)
}

/** The part of the resident memory that no file is behind, in MiB: the system cannot take it back. */
export function ownMiB(pid: number): number {
  return processTree(pid).reduce((sum, member) => sum + memoryOf(member, 'RssAnon'), 0)
}

/** A program may run under a launcher, as npm packages of native programs do. */
function processTree(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const parent = statOf(pid)?.[PARENT]
    if (parent !== undefined) parents.set(pid, Number(parent))
  }
  const tree = [root]
  for (const member of tree) {
    for (const [pid, parent] of parents) if (parent === member) tree.push(pid)
  }
  return tree
}

/** null for a process that has ended. */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

function memoryOf(pid: number, name: 'VmRSS' | 'RssAnon'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
