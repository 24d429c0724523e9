import type { PoolAnswer, PoolRequest } from './messages.ts'

/** Something that runs batches of requests away from the sockets. */
export interface RequestPool {
  /** Batches that run at the same time; more wait inside. */
  readonly capacity: number
  /**
   * Runs a batch in order and gives one answer per request, in order.
   * @throws Error when the whole batch was lost, as by a worker's death
   */
  run(requests: readonly PoolRequest[]): Promise<readonly PoolAnswer[]>
  close(): Promise<void>
}
