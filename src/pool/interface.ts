import type { PoolAnswer, PoolRequest } from './messages.ts'

/** Something that runs batches of requests away from the sockets. */
export interface RequestPool {
  /** Batches that run at the same time; more wait inside. */
  readonly capacity: number
  /**
   * Runs a batch in order and gives one answer per request, in order.
   * @param end ends the worker that runs the batch, whatever it does; another takes its place
   * @throws Error when the whole batch was lost, as by a worker's death
   */
  run(requests: readonly PoolRequest[], end?: AbortSignal): Promise<readonly PoolAnswer[]>
  close(): Promise<void>
}
