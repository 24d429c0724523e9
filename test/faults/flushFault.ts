import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** A system call of a running process that is made to fail, as a disk would. */
export interface InjectedFault {
  /** Ends it; what strace saw of the file meanwhile. */
  end(): Promise<string>
}

/** Why no fault can be injected here; null when one can. */
export function whyNoFault(): string | null {
  const canTrace = spawnSync('strace', ['-f', '-e', 'trace=none', 'true']).status === 0
  return canTrace ? null : 'strace is not installed or may not trace here (Debian package strace)'
}

/**
 * Has one call of all threads of a process fail with EIO, from now on.
 * @param file of a store; calls for others are let be
 * @param nth which of these calls
 */
export async function injectFault(
  pid: number,
  file: string,
  call: 'fdatasync' | 'pwrite64',
  nth: number,
): Promise<InjectedFault> {
  const options = [
    '-f',
    '-y',
    '-P',
    file,
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:error=EIO:when=${nth}`,
  ]
  const strace: ChildProcess = spawn('strace', [...options, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  strace.stderr?.on('data', (data: Buffer) => {
    output += data.toString()
  })
  const ended = once(strace, 'close')
  while (!output.includes(' attached')) {
    if (strace.exitCode !== null) throw new Error(`strace ended: ${output}`)
    await sleep(10)
  }
  // It says so before it has all of them.
  for (let last = ''; last !== output; await sleep(100)) last = output
  return {
    end: async () => {
      strace.kill('SIGINT')
      await ended
      return output
    },
  }
}
