import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { delimiter } from 'node:path'
import process from 'node:process'
import type { Test } from 'tap'

/** Where Debian has programs that only administrators are expected to start. */
const MORE_PATHS = ['/usr/sbin', '/sbin', '/usr/local/sbin']

/** The environment with the folders of such programs. */
export function administratorsEnvironment(): NodeJS.ProcessEnv {
  return { PATH: [process.env['PATH'] ?? '', ...MORE_PATHS].join(delimiter), LANG: 'C.UTF-8' }
}

/**
 * Why tests with a program are left out: it is not on this machine. CI has to have it.
 * @param word that has the program say its version
 */
export function missingProgram(program: string, word: string): string | false {
  if (process.env['CI'] === 'true') return false
  const { error } = spawnSync(program, [word], { env: administratorsEnvironment(), stdio: 'ignore' })
  return error !== undefined && `no ${program} on this machine`
}

/** Runs a program until the test is over, which fails when it ended before. */
export function startProgram(t: Test, program: string, args: readonly string[]): { output(): string } {
  const child: ChildProcess = spawn(program, args, {
    env: administratorsEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      output += error.message
      resolve()
    })
    child.once('close', () => resolve())
  })
  t.teardown(async () => {
    if ((child.exitCode ?? child.signalCode) !== null) throw new Error(`${program} ended: ${output}`)
    child.kill('SIGTERM')
    await ended
  })
  return { output: () => output }
}
