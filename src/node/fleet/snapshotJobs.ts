import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { FleetError } from '../../fleet/errors.ts'
import type { SnapshotJobs } from '../../fleet/snapshots/snapshotPart.ts'
import { SnapshotError, type SnapshotErrorCode } from '../../snapshot/errors.ts'
import { workerEntry } from '../../util/entry.ts'
import type { SnapshotJob, SnapshotJobEnd } from './snapshotJob.ts'

/**
 * Makes and checks snapshots in processes of their own: they run at low priority for as long as they take, and what
 * they need of memory goes with them.
 */
export function createSnapshotJobs(terms: Omit<SnapshotJob, 'kind' | 'folder'>): SnapshotJobs {
  return {
    create: (folder, signal) => runJob({ ...terms, kind: 'create', folder }, signal),
    check: (folder, signal) => runJob({ ...terms, kind: 'check', folder }, signal),
  }
}

/** @throws SnapshotError as the work did; FleetError `Failed` for a process that ended otherwise */
function runJob(job: SnapshotJob, signal: AbortSignal): Promise<void> {
  const entry = fileURLToPath(workerEntry('./snapshotChild.ts', import.meta.url))
  const child = fork(entry, [], {
    serialization: 'advanced',
    execArgv: entry.endsWith('.ts') ? process.execArgv : [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  })
  return new Promise((resolve, reject) => {
    let end: SnapshotJobEnd | null = null
    child.on('message', (message: SnapshotJobEnd) => {
      end = message
    })
    child.once('error', (cause) => reject(interrupted(signal, cause)))
    child.once('exit', (code, killed) => {
      if (end?.kind === 'done') resolve()
      else if (end?.kind === 'failed') reject(errorOf(end))
      else reject(interrupted(signal, new Error(`the process ended (${killed ?? code})`)))
    })
    child.send(job, () => undefined)
  })
}

function interrupted(signal: AbortSignal, cause: Error): Error {
  return signal.aborted
    ? new SnapshotError('SNAPSHOT_INTERRUPTED', 'the node stops', { cause })
    : new FleetError('Failed', `work on a snapshot failed: ${cause.message}`, { cause })
}

function errorOf({ code, message }: SnapshotJobEnd & { kind: 'failed' }): Error {
  return code?.startsWith('SNAPSHOT_') === true
    ? new SnapshotError(code as SnapshotErrorCode, message)
    : new FleetError('Failed', message)
}
