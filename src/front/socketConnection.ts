import type { WebSocket } from 'uWebSockets.js'
import type { EventConnection } from '../filters/eventConnection.ts'
import type { Account } from '../gateway/access/account.ts'
import type { MemoryAccount, Reclaimable } from '../gateway/access/memoryAccount.ts'

/** Close code for a client that does not read what it is sent (RFC 6455 §7.4.1: policy). */
const TOO_SLOW_CODE = 1008

/** The library's answer to a message that left nothing behind. */
const SENT = 1

/** Milliseconds that a client has to read what waits after its end. */
const LAST_READS_MILLISECONDS = 5000

/** Close code of an endpoint that goes away (RFC 6455 §7.4.1). */
const GOING_AWAY_CODE = 1001

/** Ends a WebSocket because the node stops. What waits is still sent as far as the client reads it. */
export function goAway<T>(socket: WebSocket<T>): void {
  socket.end(GOING_AWAY_CODE, 'the node stops')
}

/** The outgoing side of a WebSocket: answers and notifications, as far as the client reads them. */
export class SocketConnection<T> implements EventConnection, Reclaimable {
  readonly budget: Account
  /** Memory of the client. */
  readonly account: MemoryAccount
  /** Bytes that wait for the client, as far as they were seen, taken from its memory. */
  held = 0
  /** The socket until it is closed, also after its end. */
  #open: WebSocket<T> | null
  #socket: WebSocket<T> | null
  readonly #maxBacklog: number
  /** The listeners that wait for the client to read. */
  #onRead: (() => void)[] = []

  /**
   * @param maxBacklog bytes that may wait for the client; it is disconnected beyond. A message of any size is sent when
   *   nothing waits.
   * @param budget what all connections of the client share
   */
  constructor(socket: WebSocket<T>, maxBacklog: number, budget: Account) {
    this.budget = budget
    this.account = budget.memory
    this.#open = socket
    this.#socket = socket
    this.#maxBacklog = maxBacklog
  }

  notify(frame: Uint8Array): void {
    this.#send(frame)
  }

  /** True when the client is to read what waits for it before it is answered further. */
  get isBehind(): boolean {
    return this.held > 0
  }

  get waiting(): number {
    return this.#socket?.getBufferedAmount() ?? 0
  }

  whenRead(action: () => void): void {
    this.#onRead.push(action)
  }

  /** Sends the answer to a message. */
  answer(body: string | Uint8Array): void {
    this.#send(body)
  }

  /** Ends the socket; what waits is still sent as far as the client reads it. */
  end(code: number, reason: string): void {
    const socket = this.#socket
    this.#socket = null
    if (socket === null) return
    socket.end(code, reason)
    // A client that reads nothing would pin its backlog.
    setTimeout(() => this.#open?.close(), LAST_READS_MILLISECONDS).unref()
  }

  get memory(): MemoryAccount {
    return this.account
  }

  reclaim(): void {
    this.#socket = null
    this.#open?.close()
  }

  /** To be called when the client has read something: the library says how much is left. */
  drained(): void {
    if (this.#open !== null) this.#count(this.#open)
    const actions = this.#onRead
    this.#onRead = []
    for (const action of actions) action()
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
    this.#open = null
    this.account.release(this.held)
    this.held = 0
    this.account.total.remove(this)
  }

  #send(message: string | Uint8Array): void {
    const socket = this.#socket
    if (socket === null) return
    const waiting = socket.getBufferedAmount()
    if (waiting > 0 && waiting + lengthOf(message) > this.#maxBacklog) {
      this.end(TOO_SLOW_CODE, 'too slow')
      return
    }
    const isSent = socket.send(message, false) === SENT
    if (isSent && waiting === 0 && this.held === 0) return
    if (!this.#count(socket)) this.end(TOO_SLOW_CODE, 'too slow: --client-memory')
  }

  /** Takes from the memory of the client what waits for it; false when that is too much. */
  #count(socket: WebSocket<T>): boolean {
    const waiting = socket.getBufferedAmount()
    if (!this.account.change(this.held, waiting)) return false
    if (this.held === 0 && waiting > 0) this.account.total.add(this)
    else if (waiting === 0) this.account.total.remove(this)
    this.held = waiting
    return true
  }
}

function lengthOf(message: string | Uint8Array): number {
  return typeof message === 'string' ? Buffer.byteLength(message) : message.byteLength
}
