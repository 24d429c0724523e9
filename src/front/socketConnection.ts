import type { WebSocket } from 'uWebSockets.js'
import type { EventConnection } from '../filters/subscriptionHub.ts'

/** Close code for a client that does not read its notifications (RFC 6455: policy). */
const TOO_SLOW = 1008

/** A WebSocket as subscriptions see it. */
export class SocketConnection<T> implements EventConnection {
  #socket: WebSocket<T> | null
  readonly #maxBacklog: number

  /** @param maxBacklog bytes that may wait for the client; with more it is cut off */
  constructor(socket: WebSocket<T>, maxBacklog: number) {
    this.#socket = socket
    this.#maxBacklog = maxBacklog
  }

  notify(frame: Uint8Array): void {
    const socket = this.#socket
    if (socket === null) return
    if (socket.getBufferedAmount() + frame.byteLength > this.#maxBacklog) {
      this.#socket = null
      // What waits is still sent as far as the client reads it, then the code.
      socket.end(TOO_SLOW, 'too slow')
      return
    }
    socket.send(frame, false)
  }

  /** To be called when the socket is closed: it must not be touched any more. */
  closed(): void {
    this.#socket = null
  }
}
