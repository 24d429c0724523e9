import type { WebSocket } from 'uWebSockets.js'
import type { Account } from '../gateway/access/account.ts'
import { type MemoryAccount, type Reclaimable, UNLIMITED_MEMORY } from '../gateway/access/memoryAccount.ts'
import { limitReceiveBuffer, receivedBytes, setReading, socketDescriptor } from '../native/socketBytes.ts'
import { ReadingTurns, type TurnReader } from './readingTurns.ts'

/** Bytes of unfinished messages that the sockets may have before anybody looks, where no limit of memory is lower. */
const UNSEEN_BYTES = 64 * 1024 * 1024
/** Milliseconds between two looks at the memory of the process. */
const LOOK_MILLISECONDS = 50
/** Bytes by which the process grows before its sockets are measured. */
const GROWTH_BYTES = 16 * 1024 * 1024
/** Looks after which they are measured all the same. */
const MAX_LOOKS = 100
/** Sockets that are measured at once, and milliseconds after which others of the same look wait for the next turn. */
const MEASURED_AT_ONCE = 16
const MEASURED_MILLISECONDS = 1
/**
 * Bytes that all WebSockets together may bring in one turn of the event loop, in which the library reads what the kernel
 * has of each of them and nobody can look; and the least and most of one of them.
 */
const TURN_BYTES = 3 * 1024 * 1024
const MIN_BUFFER_BYTES = 4 * 1024
const MAX_BUFFER_BYTES = 128 * 1024
/** Bytes that no message has: the request that opened the socket, a handshake of TLS, a head that is on its way. */
const OVERHEAD_BYTES = 8 * 1024
/** The library's buffer of a message doubles where it is full: so many times what came may be allocated. */
const GROWTH = 2
/** All of them together may have one of so many parts of the memory of all clients. */
const TOTAL_SHARE = 2
/** Bytes that are charged for a message from which on its socket takes turns with others in being read. */
const LONG_BYTES = 32 * 1024
/** Messages of a socket that wait to be begun from which on it takes such turns. */
const MANY_WAIT = 8
/** Messages in a turn with which it goes on to take them, and milliseconds for which: it mostly does so again. */
const MANY_COME = 8
const TURNS_MILLISECONDS = 2000
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
 * What WebSockets have of messages that did not end yet. The socket library keeps it and reports nothing, so it is what
 * the kernel received less what came out of the library, charged to the memory of the client. Nothing is measured
 * while all sockets together cannot have much, nor while the process does not grow; whoever is idle is charged nothing.
 */
export class UnfinishedMessages {
  readonly #largest: number
  readonly #onClosed: () => void
  readonly #open = new Set<UnfinishedMessage>()
  readonly #turns = new ReadingTurns<UnfinishedMessage>((read) => this.#measure(read))
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

  /**
   * A socket was opened.
   * @param onResumed called when it is read again: the library does not say that it has written what waited where
   *   reading was stopped just then
   */
  opened<T>(socket: WebSocket<T>, client: Account, onResumed: () => void): UnfinishedMessage {
    const descriptor = socketDescriptor(socket)
    const account = client.memory
    if (descriptor !== null) limitReceiveBuffer(descriptor, this.#bufferOfOne)
    const message = new UnfinishedMessage(account, descriptor, this.#turns, {
      close: () => {
        this.#closed += 1
        client.reclaimedSocket()
        socket.close()
        this.#onClosed()
      },
      closeLargest: (bytes) => this.#closeLargestOf(account, bytes),
      setReading: (isReading) => {
        if (descriptor !== null) setReading(socket, descriptor, isReading)
        if (isReading) onResumed()
      },
    })
    this.#open.add(message)
    if (this.#turns.isBusy && descriptor !== null) {
      message.received(receivedBytes(Int32Array.of(descriptor))[0] ?? -1)
      message.takeTurns()
    }
    this.#limits = account.total.limits
    if (this.#timer === null && this.#mayHaveMuch) {
      this.#level = process.memoryUsage.rss()
      this.#timer = setInterval(() => this.#look(), LOOK_MILLISECONDS).unref()
    }
    return message
  }

  /** It was closed. */
  closed(message: UnfinishedMessage): void {
    this.#turns.forget(message)
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
    return Math.round(
      Math.min(MAX_BUFFER_BYTES, Math.max(MIN_BUFFER_BYTES, TURN_BYTES / (this.#open.size + 1))),
    )
  }

  #look(): void {
    this.#looks += 1
    const level = process.memoryUsage.rss()
    if (level < this.#level) this.#level = level
    if (this.#unmeasured.length === 0) {
      if (level - this.#level < GROWTH_BYTES && this.#looks < MAX_LOOKS) return
      this.#looks = 0
      this.#level = level
      this.#unmeasured = [...this.#open].filter(({ descriptor }) => descriptor !== null)
      this.#measureSome()
    }
  }

  /** Closing a socket that has much takes long: the others are measured in later turns of the event loop. */
  #measureSome(): void {
    const end = performance.now() + MEASURED_MILLISECONDS
    while (this.#unmeasured.length > 0 && performance.now() < end) {
      const some = this.#unmeasured.splice(-MEASURED_AT_ONCE)
      this.#measure(some.filter((message) => this.#open.has(message)))
    }
    if (this.#unmeasured.length > 0) setImmediate(() => this.#measureSome())
  }

  #measure(asked: readonly UnfinishedMessage[]): void {
    const received = receivedBytes(Int32Array.from(asked, ({ descriptor }) => descriptor ?? -1))
    for (const [index, message] of asked.entries()) {
      // One that is closed for another has no number any more.
      if (!this.#open.has(message)) continue
      const before = message.held
      message.received(received[index] ?? -1)
      if (this.#open.has(message)) this.#bytes += message.held - before
    }
    this.#closeLargest()
  }

  /** Closes the socket of a client that has most, if it has more than so many bytes; whether there was one. */
  #closeLargestOf(account: MemoryAccount, bytes: number): boolean {
    let largest: UnfinishedMessage | null = null
    for (const message of this.#open) {
      if (message.account === account && message.held > (largest?.held ?? bytes)) largest = message
    }
    largest?.reclaim()
    return largest !== null
  }

  /**
   * Messages that do not end leave a part of the memory to requests and answers. The largest clients lose theirs first.
   */
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

/** The operations on a WebSocket that is measured. */
export interface MeasuredSocket {
  /** Closes it for what it has. */
  close(): void
  /** Closes another one of its client that has more than so many bytes; whether there was one. */
  closeLargest(bytes: number): boolean
  /** Has it be read, or not for a while. */
  setReading(isReading: boolean): void
}

/** The memory of one WebSocket for a message that did not end yet. */
export class UnfinishedMessage implements Reclaimable, TurnReader {
  readonly account: MemoryAccount
  /** null where it cannot be measured. */
  readonly descriptor: number | null
  /** Bytes that are charged. */
  held = 0
  readonly #turns: ReadingTurns<UnfinishedMessage>
  readonly #socket: MeasuredSocket
  /** Bytes that came out of the library, with the heads of their frames. */
  #delivered = 0
  #received = 0
  /** True when a message ended since the last measurement. */
  #hasEnded = false
  /** True when it takes turns in being read. */
  #takesTurns = false
  /** Messages that ended and were not begun. */
  #waiting = 0
  /** Messages that ended since the last measurement. */
  #messages = 0
  /** Milliseconds of the clock when it brought many last. */
  #broughtManyAt = Number.NEGATIVE_INFINITY
  #isPausedAgain = false

  constructor(
    account: MemoryAccount,
    descriptor: number | null,
    turns: ReadingTurns<UnfinishedMessage>,
    socket: MeasuredSocket,
  ) {
    this.account = account
    this.descriptor = descriptor
    this.#turns = turns
    this.#socket = socket
  }

  get client(): object {
    return this.account
  }

  /** A message ended. @param bytes of its payload */
  whole(bytes: number): void {
    this.#delivered += bytes + FRAME_BYTES
    this.#hasEnded = true
    this.#messages += 1
    if (this.#takesTurns && this.#mayLeave) this.#leaveTurns()
  }

  /** The message that ended last waits to be begun. */
  putOff(): void {
    this.#waiting += 1
    if (!this.#takesTurns) {
      // Who cannot be measured would take them for ever.
      if (this.#waiting >= MANY_WAIT && this.descriptor !== null) this.takeTurns()
    } else if (!this.#isPausedAgain) {
      // The library reads it by itself since it began to wait until it can write.
      this.#isPausedAgain = true
      this.#turns.pause(this)
    }
  }

  /** The library has written what waited, and reads again by itself. */
  drained(): void {
    if (this.#takesTurns) this.#turns.pause(this)
  }

  /** One that waited is begun. */
  begun(): void {
    this.#waiting -= 1
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
    if (this.#messages >= MANY_COME) this.#broughtManyAt = performance.now()
    this.#messages = 0
    const isSilent = bytes === this.#received
    this.#received = bytes
    if (!this.#charge(GROWTH * Math.max(0, bytes - this.#delivered - OVERHEAD_BYTES))) return
    if (this.#takesTurns) {
      if (isSilent && this.held === 0 && this.#mayLeave) this.#leaveTurns()
    } else if (this.held > LONG_BYTES) this.takeTurns()
  }

  /**
   * Has it be read by turns until a message ends, or until it has a turn in which it brings nothing and has nothing.
   */
  takeTurns(): void {
    this.#takesTurns = true
    this.#turns.add(this)
  }

  resume(): void {
    this.#isPausedAgain = false
    this.#socket.setReading(true)
  }

  pause(): void {
    this.#socket.setReading(false)
  }

  reclaim(): void {
    this.#socket.close()
  }

  /** The socket is closed. */
  end(): void {
    this.account.release(this.held)
    this.account.total.remove(this)
    this.held = 0
  }

  get #mayLeave(): boolean {
    return this.#waiting === 0 && performance.now() > this.#broughtManyAt + TURNS_MILLISECONDS
  }

  #leaveTurns(): void {
    this.#takesTurns = false
    this.#turns.remove(this)
  }

  /** True when the client may have so much. Of its sockets the one that has most is closed otherwise. */
  #charge(bytes: number): boolean {
    const before = this.held
    while (!this.account.change(before, bytes)) {
      if (this.#socket.closeLargest(bytes)) continue
      this.#socket.close()
      return false
    }
    this.held = bytes
    if (before === 0 && bytes > 0) this.account.total.add(this)
    else if (before > 0 && bytes === 0) this.account.total.remove(this)
    return true
  }
}
