import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../../test/support/cli.ts'

/** Servers with the reference's limit, in a process of their own. */
export interface LimitedServers {
  readonly enodes: readonly string[]
  readonly height: number
  readonly pid: number
  /** Messages that they dropped so far. */
  dropped(): Promise<number>
  close(): Promise<void>
}

/** What the process says once all of them listen. */
export interface LimitedServersReady {
  readonly enodes: readonly string[]
  readonly height: number
}

const CHILD = fileURLToPath(new URL('limitedChild.ts', import.meta.url))

/** Starts servers of one chain, each on an address of its own of loopback. */
export async function startLimitedServers(file: string, count: number): Promise<LimitedServers> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rhizome-bench-'))
  const imported = await runCommand(['import', file, '--data-dir', dataDir, '--log-level', 'error'])
  if (imported.code !== 0) throw new Error(`import: ${imported.stdout}${imported.stderr}`)
  const child = fork(CHILD, [dataDir, String(count)])
  const [ready] = (await once(child, 'message')) as [LimitedServersReady]
  return {
    ...ready,
    pid: child.pid ?? 0,
    dropped: async () => {
      const answer = once(child, 'message')
      child.send('dropped')
      const [count] = (await answer) as [number]
      return count
    },
    close: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
