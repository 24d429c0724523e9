/**
 * One HTTP request or WebSocket message that waits for its answer. Made by the front, answered by the
 * gateway exactly once.
 */
export interface Exchange {
  /** Sends the answer; an empty one for notifications. */
  answer(body: string | Uint8Array, status: number): void
  /** Called when the client goes away before the answer. */
  onGone: (() => void) | undefined
  /** Whether the client is gone. */
  readonly gone: boolean
}
