import type { WebSocket } from 'uWebSockets.js'
import { type MemoryAccount, type Reclaimable, UNLIMITED_MEMORY } from '../gateway/access/memoryAccount.ts'
import { limitReceiveBuffer, receivedBytes, socketDescriptor } from '../native/socketBytes.ts'

/** Bytes of unfinished messages that the sockets may have before anybody looks, where no limit of memory is lower. */
const UNSEEN_BYTES = 64 * 1024 * 1024
/** Milliseconds between two looks at the memory of the process. */
const LOOK_MILLISECONDS = 50
/** Bytes by which the process grows before its sockets are measured. */
const GROWTH_BYTES = 16 * 1024 * 1024
/** Looks after which they are measured all the same. */
const MOST_LOOKS = 100
/** Sockets that are measured in one look. */
const MEASURED_AT_ONCE = 1024
/**
 * Bytes that all WebSockets together may bring in one turn of the event loop, in which the library reads what the kernel
 * has of each of them and nobody can look; and the least and most of one of them.
 */
const TURN_BYTES = 3 * 1024 * 1024
const LEAST_BUFFER = 4 * 1024
const LARGEST_BUFFER = 128 * 1024
/** Bytes that no message has: the request that opened the socket, a handshake of TLS, a head that is on its way. */
const OVERHEAD_BYTES = 8 * 1024
/** The library's buffer of a message doubles where it is full: so many times what came may be allocated. */
const GROWTH = 2
/** All of them together may have one of so many parts of the memory of all clients. */
const TOTAL_SHARE = 2
/** Bytes of a frame of a client beside its payload: head and mask (RFC 6455 §5.2). */
const FRAME_BYTES = 6

/** Figures for operators. */
export interface UnfinishedStats {
  /** Bytes, as they were measured last. */
  readonly bytes: number
  /** WebSockets that were closed because their client, or all together, had too much. */
  readonly closed: number
}

/**
 * What WebSockets have of messages that did not end yet. The socket library keeps it and tells nobody, so it is what
 * the kernel received less what came out of the library, charged to the memory of the client. Nothing is measured
 * while all sockets together cannot have much, nor while the process does not grow; whoever is idle is charged nothing.
 */
export class UnfinishedMessages {
  readonly #largest: number
  readonly #onClosed: () => void
  readonly #open = new Set<UnfinishedMessage>()
  #timer: NodeJS.Timeout | null = null
  #limits = UNLIMITED_MEMORY
  /** Those that the present measurement has not reached. */
  #unmeasured: UnfinishedMessage[] = []
  #looks = 0
  /** Bytes of the process at the last measurement, or the least since. */
  #level = 0
  #bytes = 0
  #closed = 0

  /**
   * @param largest bytes that the library takes of a message
   * @param onClosed called when a socket was closed for what it had
   */
  constructor(largest: number, onClosed: () => void) {
    this.#largest = largest
    this.#onClosed = onClosed
  }

  get stats(): UnfinishedStats {
    return { bytes: this.#bytes, closed: this.#closed }
  }

  /** A socket was opened. */
  opened<T>(socket: WebSocket<T>, account: MemoryAccount): UnfinishedMessage {
    const descriptor = socketDescriptor(socket)
    if (descriptor !== null) limitReceiveBuffer(descriptor, this.#bufferOfOne)
    const message = new UnfinishedMessage(account, descriptor, () => {
      this.#closed += 1
      socket.close()
      this.#onClosed()
    })
    this.#open.add(message)
    this.#limits = account.total.limits
    if (this.#timer === null && this.#mayHaveMuch) {
      this.#level = process.memoryUsage.rss()
      this.#timer = setInterval(() => this.#look(), LOOK_MILLISECONDS).unref()
    }
    return message
  }

  /** It was closed. */
  closed(message: UnfinishedMessage): void {
    this.#bytes -= message.held
    message.end()
    this.#open.delete(message)
    if (this.#timer === null || this.#mayHaveMuch) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  get #mayHaveMuch(): boolean {
    const { client, total } = this.#limits
    const unseen = Math.min(UNSEEN_BYTES, client || UNSEEN_BYTES, total || UNSEEN_BYTES)
    return this.#open.size * this.#largest > unseen
  }

  /** Of a socket that opens among those that are open: who has many gets little of each. */
  get #bufferOfOne(): number {
    return Math.round(Math.min(LARGEST_BUFFER, Math.max(LEAST_BUFFER, TURN_BYTES / (this.#open.size + 1))))
  }

  #look(): void {
    this.#looks += 1
    const level = process.memoryUsage.rss()
    if (level < this.#level) this.#level = level
    if (this.#unmeasured.length === 0) {
      if (level - this.#level < GROWTH_BYTES && this.#looks < MOST_LOOKS) return
      this.#looks = 0
      this.#level = level
      this.#unmeasured = [...this.#open].filter(({ descriptor }) => descriptor !== null)
    }
    this.#measure(this.#unmeasured.splice(0, MEASURED_AT_ONCE).filter((message) => this.#open.has(message)))
  }

  #measure(asked: readonly UnfinishedMessage[]): void {
    const received = receivedBytes(Int32Array.from(asked, ({ descriptor }) => descriptor ?? -1))
    for (const [index, message] of asked.entries()) {
      // One that is closed for another has no number any more.
      if (this.#open.has(message)) message.received(received[index] ?? -1)
    }
    this.#bytes = 0
    for (const { held } of this.#open) this.#bytes += held
    this.#closeLargest()
  }

  /** Messages that do not end leave a part of the memory to requests and answers. The largest clients lose theirs first. */
  #closeLargest(): void {
    const most = this.#limits.total / TOTAL_SHARE
    if (this.#limits.total === 0 || this.#bytes <= most) return
    const largest = [...this.#open].filter(({ held }) => held > 0)
    largest.sort((one, other) => other.account.used - one.account.used || other.held - one.held)
    for (const message of largest) {
      if (this.#bytes <= most) return
      message.reclaim()
    }
  }
}

/** What one WebSocket has of a message that did not end yet. */
export class UnfinishedMessage implements Reclaimable {
  readonly account: MemoryAccount
  /** null where it cannot be measured. */
  readonly descriptor: number | null
  /** Bytes that are charged. */
  held = 0
  readonly #close: () => void
  /** Bytes that came out of the library, with the heads of their frames. */
  #delivered = 0
  #received = 0
  /** Whether a message ended since the last measurement. */
  #hasEnded = false

  constructor(account: MemoryAccount, descriptor: number | null, close: () => void) {
    this.account = account
    this.descriptor = descriptor
    this.#close = close
  }

  /** A message ended. @param bytes of its payload */
  whole(bytes: number): void {
    this.#delivered += bytes + FRAME_BYTES
    this.#hasEnded = true
  }

  /** A ping or pong came. @param bytes of its payload */
  control(bytes: number): void {
    this.#delivered += bytes + FRAME_BYTES
  }

  /** It was measured. @param bytes received on the connection; -1 where the kernel does not know */
  received(bytes: number): void {
    if (bytes < 0) return
    // What had come by the last measurement belongs to what ended since. The heads of fragments are not known.
    if (this.#hasEnded) this.#delivered = Math.max(this.#delivered, this.#received)
    this.#hasEnded = false
    this.#received = bytes
    this.#charge(GROWTH * Math.max(0, bytes - this.#delivered - OVERHEAD_BYTES))
  }

  reclaim(): void {
    this.#close()
  }

  /** The socket is closed. */
  end(): void {
    this.account.release(this.held)
    this.account.total.remove(this)
    this.held = 0
  }

  #charge(bytes: number): void {
    const before = this.held
    if (!this.account.change(before, bytes)) {
      this.#close()
      return
    }
    this.held = bytes
    if (before === 0 && bytes > 0) this.account.total.add(this)
    else if (before > 0 && bytes === 0) this.account.total.remove(this)
  }
}
