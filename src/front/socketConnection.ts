import type { WebSocket } from 'uWebSockets.js'
import type { EventConnection, SubscriptionBudget } from '../filters/subscriptionHub.ts'

/** Close code for a client that does not read what it is sent (RFC 6455 §7.4.1: policy). */
const TOO_SLOW = 1008

/** Close code of an endpoint that goes away (RFC 6455 §7.4.1). */
const GOING_AWAY = 1001

/** Ends a WebSocket because the node stops. What waits is still sent as far as the client reads it. */
export function goAway<T>(socket: WebSocket<T>): void {
  socket.end(GOING_AWAY, 'the node stops')
}

/** What goes out on a WebSocket: answers and notifications, as far as the client reads them. */
export class SocketConnection<T> implements EventConnection {
  readonly budget: SubscriptionBudget
  #socket: WebSocket<T> | null
  readonly #maxBacklog: number

  /**
   * @param maxBacklog bytes that may wait for the client; with more it is cut off. A message of any size goes
   *   out when nothing waits.
   * @param budget what all connections of the client share
   */
  constructor(socket: WebSocket<T>, maxBacklog: number, budget: SubscriptionBudget) {
    this.budget = budget
    this.#socket = socket
    this.#maxBacklog = maxBacklog
  }

  notify(frame: Uint8Array): void {
    this.#send(frame, frame.byteLength)
  }

  /** Sends the answer to a message. */
  answer(body: string | Uint8Array): void {
    this.#send(body, Buffer.byteLength(body))
  }

  /** Ends the socket; what waits is still sent as far as the client reads it. */
  end(code: number, reason: string): void {
    const socket = this.#socket
    this.#socket = null
    socket?.end(code, reason)
  }

  /** Ends the socket because the node stops. */
  goAway(): void {
    const socket = this.#socket
    this.#socket = null
    if (socket !== null) goAway(socket)
  }

  /** To be called when the socket is closed: it must not be touched any more. */
  closed(): void {
    this.#socket = null
  }

  #send(message: string | Uint8Array, length: number): void {
    const socket = this.#socket
    if (socket === null) return
    const waiting = socket.getBufferedAmount()
    if (waiting > 0 && waiting + length > this.#maxBacklog) {
      this.end(TOO_SLOW, 'too slow')
      return
    }
    socket.send(message, false)
  }
}
