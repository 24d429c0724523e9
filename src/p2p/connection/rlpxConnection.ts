import type { Socket } from 'node:net'
import { DISCONNECT_REASONS, FRAME_CODES, USED_CODES } from '../messages/codes.ts'
import { type Capability, hasCapability, RHIZOME_CAPABILITY } from '../messages/hello.ts'
import { decodeDisconnect, EMPTY_PAYLOAD, encodeDisconnect } from '../messages/p2pMessages.ts'
import type { Frame, FrameMemory, FrameReader } from '../wire/frameReader.ts'
import { type FrameWriter, MAX_FRAME_BYTES } from '../wire/frameWriter.ts'
import { P2pError } from '../wire/p2pError.ts'
import type { CloseReason, Connection, RemoteHello } from './connection.ts'
import type { ConnectionOptions } from './connectionOptions.ts'
import { KeepAlive } from './keepAlive.ts'
import { Pace } from './pace.ts'
import type { RlpxSession } from './rlpxSession.ts'

/** Most buffered bytes with which a PONG is sent; above, it waits until they are sent. */
const MAX_BEFORE_PONG = 65_536

/** Internal messages per second, such as PINGs: the reference sends one in five seconds (p2p.md §3). */
const SMALL_TALK = { perSecond: 10, burst: 100 }

/** Stored characters of a client's name. */
const MAX_CLIENT_CHARACTERS = 256
/** Characters that are removed from log lines. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

type FrameListener = (code: number, payload: Buffer) => void | Promise<void>

/** A connection over RLPx. Its socket is read only while no frame is being processed. */
export class RlpxConnection implements Connection {
  readonly remoteId: Buffer
  readonly address: string
  readonly remotePort: number
  readonly inbound: boolean
  readonly hello: RemoteHello
  readonly #socket: Socket
  readonly #reader: FrameReader
  readonly #writer: FrameWriter
  readonly #capabilities: readonly Capability[]
  readonly #linger: number
  readonly #keepAlive: KeepAlive
  readonly #smallTalk: Pace
  readonly #clock: ConnectionOptions['clock']
  #onFrame: FrameListener | null = null
  #onBytes: ((count: number) => Promise<void> | undefined) | null = null
  #onClose: ((why: CloseReason) => void) | null = null
  #isBusy = false
  #owesPong = false
  #why: CloseReason | null = null

  /** @param socket of the session, without listeners */
  constructor(socket: Socket, inbound: boolean, session: RlpxSession, options: ConnectionOptions) {
    this.#socket = socket
    this.#reader = session.reader
    this.#reader.limit = MAX_FRAME_BYTES
    this.#writer = session.writer
    this.#capabilities = options.capabilities
    this.#linger = options.timings.linger
    this.#clock = options.clock
    this.#smallTalk = new Pace(SMALL_TALK, options.clock())
    this.remoteId = session.remoteId
    this.address = socket.remoteAddress ?? ''
    this.remotePort = socket.remotePort ?? 0
    this.inbound = inbound
    const { p2pVersion, client, capabilities, listenPort } = session.hello
    const printable = client.replace(UNPRINTABLE, '').slice(0, MAX_CLIENT_CHARACTERS)
    this.hello = { p2pVersion, client: printable, capabilities, listenPort }
    this.#keepAlive = new KeepAlive(this.#watched(), options.clock, options.timings)
    socket
      .on('readable', this.#pump)
      .on('drain', this.#onDrain)
      .on('error', () => {})
      .on('close', () => this.#end({ kind: 'ended' }, null))
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength
  }

  get bytesIn(): number {
    return this.#socket.bytesRead
  }

  get bytesOut(): number {
    return this.#socket.bytesWritten
  }

  shares(name: string, version: number): boolean {
    const wanted = { name, version }
    return hasCapability(this.#capabilities, wanted) && hasCapability(this.hello.capabilities, wanted)
  }

  send(code: number, payload: Buffer): void {
    if (this.#why === null) this.#socket.write(this.#writer.write(code, payload))
  }

  set frameMemory(memory: FrameMemory) {
    this.#reader.memory = memory
  }

  set onBytes(listener: (count: number) => Promise<void> | undefined) {
    this.#onBytes = listener
  }

  onFrame(listener: FrameListener): void {
    this.#onFrame = listener
    this.#pump()
  }

  onClose(listener: (why: CloseReason) => void): void {
    this.#onClose = listener
    if (this.#why !== null) this.#notifyClosed()
  }

  close(reason?: number): void {
    this.#end({ kind: 'local', reason: reason ?? null }, reason ?? null)
  }

  /** Processes the received frames, while none is in progress. */
  readonly #pump = (): void => {
    try {
      while (this.#onFrame !== null && !this.#isBusy && this.#why === null) {
        const frame = this.#reader.next()
        if (frame === null) {
          const chunk: Buffer | null = this.#socket.read()
          if (chunk === null) return
          this.#keepAlive.received()
          this.#reader.push(chunk)
          const paced = this.#onBytes?.(chunk.length)
          if (paced !== undefined) this.#waitFor(paced)
        } else {
          const dealt = this.#take(frame)
          if (dealt !== undefined) this.#waitFor(dealt)
        }
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  #waitFor(dealt: Promise<void>): void {
    this.#isBusy = true
    this.#keepAlive.isReading = false
    dealt.then(
      () => {
        this.#isBusy = false
        this.#keepAlive.isReading = true
        this.#pump()
      },
      (error: unknown) => this.#fail(error),
    )
  }

  #take({ code, payload }: Frame): Promise<void> | undefined {
    switch (code) {
      case FRAME_CODES.hello: {
        const error = new P2pError('MESSAGE', 'a second HELLO')
        this.#end({ kind: 'error', error }, DISCONNECT_REASONS.requested)
        return undefined
      }
      case FRAME_CODES.disconnect:
        this.#end({ kind: 'remote', reason: decodeDisconnect(payload) }, null)
        return undefined
      case FRAME_CODES.ping:
        this.#answerPing()
        return this.#pause()
      case FRAME_CODES.pong:
        this.#keepAlive.answered()
        return this.#pause()
      case FRAME_CODES.getPeers:
      case FRAME_CODES.peers:
        return this.#pause()
      default:
        if (!this.#isUsed(code)) throw new P2pError('MESSAGE', `code ${code} is not used`)
        return this.#onFrame?.(code, payload) ?? undefined
    }
  }

  /** Delay of excessive internal messages, whose processing costs more than they are worth. */
  #pause(): Promise<void> | undefined {
    const wait = this.#smallTalk.take(1, this.#clock())
    if (wait === 0) return undefined
    return new Promise((resolve) => void setTimeout(resolve, wait).unref())
  }

  #isUsed(code: number): boolean {
    if (USED_CODES.has(code)) return true
    const { name, version } = RHIZOME_CAPABILITY
    return code === FRAME_CODES.rangeMessage && this.shares(name, version)
  }

  /** A peer that sends PINGs and does not read gets one PONG, later. */
  #answerPing(): void {
    if (this.bufferedBytes > MAX_BEFORE_PONG) this.#owesPong = true
    else this.send(FRAME_CODES.pong, EMPTY_PAYLOAD)
  }

  readonly #onDrain = (): void => {
    if (!this.#owesPong) return
    this.#owesPong = false
    this.send(FRAME_CODES.pong, EMPTY_PAYLOAD)
  }

  #watched(): ConstructorParameters<typeof KeepAlive>[0] {
    const socket = this.#socket
    return {
      get bufferedBytes() {
        return socket.writableLength
      },
      get sentBytes() {
        return socket.bytesWritten - socket.writableLength
      },
      sendPing: () => this.send(FRAME_CODES.ping, EMPTY_PAYLOAD),
      expire: (error, reason) => this.#end({ kind: 'error', error }, reason),
    }
  }

  #fail(thrown: unknown): void {
    const kind = thrown instanceof P2pError ? 'error' : 'failure'
    this.#end({ kind, error: thrown } as CloseReason, null)
  }

  #end(why: CloseReason, disconnectReason: number | null): void {
    if (this.#why !== null) return
    this.#keepAlive.stop()
    const socket = this.#socket
    socket.off('readable', this.#pump).off('drain', this.#onDrain)
    if (disconnectReason === null) socket.destroy()
    else {
      // Further data is discarded: unread bytes would reset the connection before the other end has read.
      socket.on('data', () => {})
      socket.end(this.#writer.write(FRAME_CODES.disconnect, encodeDisconnect(disconnectReason)))
      setTimeout(() => socket.destroy(), this.#linger).unref()
    }
    this.#why = why
    this.#onFrame = null
    this.#notifyClosed()
  }

  #notifyClosed(): void {
    const listener = this.#onClose
    this.#onClose = null
    if (this.#why !== null) listener?.(this.#why)
  }
}
