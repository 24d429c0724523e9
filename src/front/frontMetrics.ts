import type { UnfinishedStats } from './unfinishedMessages.ts'

/** Statuses below this one are counted by their number. */
const STATUS_COUNT = 600

/** Figures of the sockets. Totals only grow. */
export interface FrontStats {
  /** Connections that are open, WebSockets included. */
  readonly connections: number
  readonly webSockets: number
  /** Connections that were closed because too many were open. */
  readonly refusedConnections: number
  /** HTTP requests and WebSocket messages that wait for their answer. */
  readonly exchanges: number
  readonly messages: number
  /** The memory of WebSockets for messages that did not end yet. */
  readonly unfinished: UnfinishedStats
  /** HTTP answers by status. */
  readonly statuses: readonly { readonly status: number; readonly count: number }[]
}

/** The counts of the front, and whether it is stopping. Every count is an addition. */
export class FrontMetrics {
  connections = 0
  webSockets = 0
  refusedConnections = 0
  /** Messages that came over WebSockets. */
  messages = 0
  /** True when answers end their connections. */
  draining = false
  /** Set where there are WebSockets. */
  unfinished: () => UnfinishedStats = () => ({ bytes: 0, closed: 0 })
  readonly #statuses = new Float64Array(STATUS_COUNT)
  #exchanges = 0
  /** Connections that end when their answer is sent. */
  #ending = 0
  #onIdle: (() => void) | null = null

  /** An exchange began. */
  began(): void {
    this.#exchanges += 1
  }

  /** An exchange ended: by its answer, or because the client went away. */
  ended(): void {
    this.#exchanges -= 1
    if (this.draining) this.#checkIdle()
  }

  /** An HTTP answer goes out. */
  answered(status: number): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
  }

  /** A connection ends when the answer that goes out now is sent. To be called while draining. */
  ending(): void {
    this.#ending += 1
  }

  /** @param change 1 for a connection that was made, -1 for one that ended */
  connected(change: number): void {
    this.connections += change
    if (!this.draining || change > 0) return
    // An idle connection may be counted instead; then one busy connection is not waited for, as without a drain.
    if (this.#ending > 0) this.#ending -= 1
    this.#checkIdle()
  }

  /** Resolves when nothing waits for an answer and the last answers are out. To be called while draining. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve
      this.#checkIdle()
    })
  }

  stats(): FrontStats {
    const { connections, webSockets, refusedConnections, messages } = this
    const statuses = [...this.#statuses].flatMap((count, status) => (count === 0 ? [] : [{ status, count }]))
    const unfinished = this.unfinished()
    const exchanges = this.#exchanges
    return { connections, webSockets, refusedConnections, messages, unfinished, exchanges, statuses }
  }

  #checkIdle(): void {
    if (this.#exchanges > 0 || this.#ending > 0) return
    this.#onIdle?.()
    this.#onIdle = null
  }
}
