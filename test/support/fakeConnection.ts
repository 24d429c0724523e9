import type { CloseReason, Connection, RemoteHello } from '../../src/p2p/connection/connection.ts'
import { FRAME_CODES } from '../../src/p2p/messages/codes.ts'
import { encodeEthStatus } from '../../src/p2p/messages/ethStatus.ts'
import { decodePeerMessage, encodePeerMessage } from '../../src/p2p/messages/rskCodec.ts'
import type { PeerMessage } from '../../src/p2p/messages/rskMessage.ts'
import type { FrameMemory } from '../../src/p2p/wire/frameReader.ts'

/** What a {@link FakeConnection} differs in from an RSKj node that was dialled. */
export interface FakeConnectionOptions {
  readonly id?: number
  readonly address?: string
  readonly inbound?: boolean
  readonly capabilities?: RemoteHello['capabilities']
}

/** Node id of a fake: 64 bytes that begin with its number. */
export function fakeId(number: number): Buffer {
  const id = Buffer.alloc(64, 0x55)
  id.writeUInt32BE(number)
  return id
}

/** A connection whose other end is the test: what was sent can be looked at, frames can be given in. */
export class FakeConnection implements Connection {
  readonly remoteId: Buffer
  readonly address: string
  readonly remotePort = 4444
  readonly inbound: boolean
  readonly hello: RemoteHello
  /** What was sent. */
  readonly frames: { readonly code: number; readonly payload: Buffer }[] = []
  /** Set by tests. */
  bufferedBytes = 0
  /** Whether what is sent stays in the socket. */
  isBlocked = false
  bytesIn = 0
  bytesOut = 0
  /** How it was closed by us: the reason, null without one; undefined while it is open. */
  closedWith: number | null | undefined
  #onFrame: ((code: number, payload: Buffer) => void | Promise<void>) | null = null
  #onClose: ((why: CloseReason) => void) | null = null

  constructor({ id = 1, address = '10.0.0.1', inbound = false, capabilities }: FakeConnectionOptions = {}) {
    this.remoteId = fakeId(id)
    this.address = address
    this.inbound = inbound
    this.hello = {
      p2pVersion: 4,
      client: 'fake',
      capabilities: capabilities ?? [{ name: 'rsk', version: 62 }],
      listenPort: 50501,
    }
  }

  set frameMemory(_memory: FrameMemory) {
    // Frames are given in whole.
  }

  shares(name: string, version: number): boolean {
    return this.hello.capabilities.some((other) => other.name === name && other.version === version)
  }

  /** Told of bytes by whoever brings them. */
  onBytes: (count: number) => Promise<void> | undefined = () => undefined

  send(code: number, payload: Buffer): void {
    if (this.closedWith !== undefined) return
    this.frames.push({ code, payload })
    this.bytesOut += payload.length
    if (this.isBlocked) this.bufferedBytes += payload.length
  }

  onFrame(listener: (code: number, payload: Buffer) => void | Promise<void>): void {
    this.#onFrame = listener
  }

  onClose(listener: (why: CloseReason) => void): void {
    this.#onClose = listener
  }

  close(reason?: number): void {
    if (this.closedWith !== undefined) return
    this.closedWith = reason ?? null
    this.bufferedBytes = 0
    this.#onClose?.({ kind: 'local', reason: this.closedWith })
  }

  /** Gives a frame in, as if the other end had sent it. @returns what reading waits for */
  receive(code: number, payload: Buffer): void | Promise<void> {
    if (this.closedWith !== undefined) return
    this.bytesIn += payload.length
    try {
      return this.#onFrame?.(code, payload)
    } catch {
      this.close()
    }
  }

  /** Gives a message in. @returns what reading waits for */
  deliver(message: PeerMessage): void | Promise<void> {
    const { code, payload } = encodePeerMessage(message)
    return this.receive(code, payload)
  }

  /** Gives STATUS of code 0x10 in. */
  tellStatus(status: { protocolVersion?: number; networkId?: number; genesisHash?: Buffer }): void {
    const whole = { ...FAKE_STATUS, ...status }
    void this.receive(FRAME_CODES.ethStatus, encodeEthStatus(whole))
  }

  /** The other end goes away. */
  leave(): void {
    if (this.closedWith !== undefined) return
    this.closedWith = null
    this.#onClose?.({ kind: 'ended' })
  }

  /** Messages that were sent, without STATUS of code 0x10. */
  get messages(): PeerMessage[] {
    return this.frames
      .filter(({ code }) => code !== FRAME_CODES.ethStatus)
      .map(({ code, payload }) => decodePeerMessage(code, payload))
  }
}

/** What a fake says of its chain, and the chain that it is on. */
export const FAKE_STATUS = {
  protocolVersion: 62,
  networkId: 7771,
  totalDifficulty: 5n,
  bestHash: Buffer.alloc(32, 1),
  genesisHash: Buffer.alloc(32, 2),
}
