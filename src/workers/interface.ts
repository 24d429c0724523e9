import type { PoolAnswer, PoolRequest } from './messages.ts'
import type { WorkerEnd } from './workerEnd.ts'

/** Something that runs batches of requests away from the sockets. */
export interface RequestPool {
  /** Batches that run at the same time; more wait inside. */
  readonly capacity: number
  /**
   * Runs a batch in order and gives one answer per request, in order. Once a batch has taken a while, its last requests
   * are not begun and come back with the status `NOT_RUN`; the first one never does. The bytes of the answers are valid
   * until the turn of the event loop in which they come has ended.
   * @param end ends the worker that runs the batch, whatever it does; another replaces it
   * @throws Error when the whole batch was lost, as by a worker's death
   */
  run(requests: readonly PoolRequest[], end?: WorkerEnd): Promise<readonly PoolAnswer[]>
  close(): Promise<void>
}
