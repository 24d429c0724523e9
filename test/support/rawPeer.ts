import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { FRAME_CODES } from '../../src/p2p/messages/codes.ts'
import { encodeHello, type Hello, P2P_VERSION, RSK_CAPABILITY } from '../../src/p2p/messages/hello.ts'
import { decodeDisconnect, EMPTY_PAYLOAD } from '../../src/p2p/messages/p2pMessages.ts'
import { createNodeKey, type NodeKey } from '../../src/p2p/wire/curve.ts'
import { type Frame, FrameReader } from '../../src/p2p/wire/frameReader.ts'
import { FrameWriter } from '../../src/p2p/wire/frameWriter.ts'
import { createFreshSecrets, type FreshSecrets, readAck, writeAuth } from '../../src/p2p/wire/handshake.ts'
import { OLD_ACK_BYTES, type PacketForm, PacketReader } from '../../src/p2p/wire/packetReader.ts'
import { createFrameKeys } from '../../src/p2p/wire/secrets.ts'

/** How long anything is waited for, milliseconds: what fails must not hang. */
const PATIENCE = 20_000

/** A node that dials and says whatever a test wants. */
export class RawPeer {
  readonly key: NodeKey = createNodeKey(randomBytes)
  /** Frames that came and were not asked for yet. */
  readonly frames: Frame[] = []
  /** Bytes that came before the first frame. */
  ackBytes = 0
  isClosed = false
  readonly #fresh: FreshSecrets = createFreshSecrets(randomBytes)
  readonly #socket: Socket
  readonly #listeners = new Set<() => void>()
  #reader: FrameReader | null = null
  #writer: FrameWriter | null = null
  #onBytes: (bytes: Buffer) => void = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    socket
      .on('data', (bytes) => {
        this.#onBytes(bytes)
        this.#changed()
      })
      .on('error', () => {})
      .on('close', () => {
        this.isClosed = true
        this.#changed()
      })
  }

  /** @param localAddress IP address that it comes from; without it the system chooses */
  static async connect(port: number, host = '127.0.0.1', localAddress?: string): Promise<RawPeer> {
    const from = localAddress === undefined ? {} : { localAddress }
    const socket = connect({ host, port, noDelay: true, ...from })
    await once(socket, 'connect')
    return new RawPeer(socket)
  }

  /** The auth of this peer for a node. */
  authFor(remoteId: Buffer, form: PacketForm = 'eip8'): Buffer {
    return writeAuth(this.key, this.#fresh, remoteId, form)
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes)
  }

  /** Bytes that wait to be sent. */
  get bufferedBytes(): number {
    return this.#socket.writableLength
  }

  /** Sends auth and waits for the ack. @returns the lengths of both */
  async shakeHands(
    remoteId: Buffer,
    form: PacketForm = 'eip8',
  ): Promise<{ readonly auth: number; readonly ack: number }> {
    const auth = this.authFor(remoteId, form)
    this.expectAck(auth)
    this.write(auth)
    await this.until(() => this.#reader !== null)
    return { auth: auth.length, ack: this.ackBytes }
  }

  /** Reads what comes as the ack to an auth, then as frames. */
  expectAck(auth: Buffer): void {
    const packets = new PacketReader(this.key.privateKey, OLD_ACK_BYTES)
    this.#onBytes = (bytes) => {
      const read = packets.push(bytes)
      if (read === null) return
      this.ackBytes = read.packet.length
      const keys = createFrameKeys('initiator', this.#fresh, readAck(read), { auth, ack: read.packet })
      this.#reader = new FrameReader(keys.aes, keys.ingress)
      this.#writer = new FrameWriter(keys.aes, keys.egress)
      this.#onBytes = (more) => this.#readFrames(more)
      this.#readFrames(read.rest)
    }
  }

  /** Encrypted bytes of a frame, which must then be written. */
  frame(code: number, payload: Buffer, headerData?: Buffer): Buffer {
    if (this.#writer === null) throw new Error('the handshake is not over')
    return this.#writer.write(code, payload, headerData)
  }

  send(code: number, payload: Buffer): void {
    this.write(this.frame(code, payload))
  }

  sendHello(changes: Partial<Hello> = {}): void {
    this.send(
      FRAME_CODES.hello,
      encodeHello({
        p2pVersion: P2P_VERSION,
        client: 'raw',
        capabilities: [RSK_CAPABILITY],
        listenPort: 0,
        nodeId: this.key.id,
        ...changes,
      }),
    )
  }

  /** The first frame of a code among those that came or come; null when the other end closes before. */
  async receive(code: number): Promise<Frame | null> {
    await this.until(() => this.isClosed || this.frames.some((frame) => frame.code === code))
    const at = this.frames.findIndex((frame) => frame.code === code)
    return at === -1 ? null : (this.frames.splice(at, 1)[0] ?? null)
  }

  /** Whether the other end still answers after everything that was sent. */
  async isAnswered(): Promise<boolean> {
    this.send(FRAME_CODES.ping, EMPTY_PAYLOAD)
    return (await this.receive(FRAME_CODES.pong)) !== null
  }

  /** Waits until the other end has closed. @returns the reason that it gave in DISCONNECT, null without one */
  async closed(): Promise<number | null> {
    await this.until(() => this.isClosed)
    const disconnect = this.frames.find(({ code }) => code === FRAME_CODES.disconnect)
    return disconnect === undefined ? null : decodeDisconnect(disconnect.payload)
  }

  destroy(): void {
    this.#socket.destroy()
  }

  async until(isReached: () => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new Error('nothing came'))), PATIENCE)
      const settle = (then: () => void): void => {
        clearTimeout(timer)
        this.#listeners.delete(look)
        then()
      }
      const look = (): void => {
        if (isReached()) settle(resolve)
      }
      this.#listeners.add(look)
      look()
    })
  }

  #readFrames(bytes: Buffer): void {
    this.#reader?.push(bytes)
    for (let frame = this.#reader?.next(); frame; frame = this.#reader?.next()) this.frames.push(frame)
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
