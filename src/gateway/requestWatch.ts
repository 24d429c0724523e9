import type { WatchedRequest } from '../observe/tracing.ts'
import type { Ticket } from './scheduler/ticket.ts'

/** The listener of slow requests. */
export interface RequestWatch {
  /** Milliseconds from which on a request is slow. May change. */
  readonly threshold: number
  onSlow(request: WatchedRequest): void
}

/** Times of one request; its parts share it. */
export interface RequestTimes {
  /** Milliseconds of `performance.now()`. */
  readonly started: number
  /** The last way to a worker; null without one. */
  ticket: Ticket | null
}
