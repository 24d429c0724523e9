import type { Capability } from '../messages/hello.ts'
import type { FrameRoom } from '../wire/frameReader.ts'
import type { P2pError } from '../wire/p2pError.ts'

/** Why a connection is over. */
export type CloseReason =
  /** We closed it; what we said in DISCONNECT, null without one. */
  | { readonly kind: 'local'; readonly reason: number | null }
  /** The other end sent DISCONNECT. */
  | { readonly kind: 'remote'; readonly reason: number }
  /** The other end closed, or the network did. */
  | { readonly kind: 'ended' }
  /** The other end broke the protocol or was silent for too long: closed by us. */
  | { readonly kind: 'error'; readonly error: P2pError }
  /** Our own code failed at a frame: the other end did nothing wrong. */
  | { readonly kind: 'failure'; readonly error: unknown }

/** What the other end said of itself in HELLO (p2p.md §3). Nothing of it is checked by anybody. */
export interface RemoteHello {
  readonly p2pVersion: number
  /** At most 256 characters, all of them printable. */
  readonly client: string
  readonly capabilities: readonly Capability[]
  readonly listenPort: number
}

/** A connection after both HELLO. */
export interface Connection {
  /** 64 bytes: the other end has the key of it. */
  readonly remoteId: Buffer
  /** IP of the other end. */
  readonly address: string
  readonly remotePort: number
  /** Whether the other end dialled. */
  readonly inbound: boolean
  readonly hello: RemoteHello
  /** Whether both ends announced a capability in this version. */
  shares(name: string, version: number): boolean
  /** Bytes written that the socket has not taken. */
  readonly bufferedBytes: number
  readonly bytesIn: number
  readonly bytesOut: number
  /**
   * Sends a frame; nothing once the connection is over.
   * @param code absolute code (p2p.md §3)
   * @param payload RLP, together with the code below {@link MAX_FRAME_BYTES}
   * @throws RangeError for a longer one
   */
  send(code: number, payload: Buffer): void
  /** Who is asked for room for a frame that is not whole yet: without it the connection ends. Set before onFrame. */
  set frameRoom(room: FrameRoom)
  /** Who is told of bytes as they come, and may have the connection wait before more is read. Set before onFrame. */
  set onBytes(listener: (count: number) => Promise<void> | undefined)
  /**
   * Who gets frames, in their order, set once. None is read before; while the promise of one is open no other is
   * read. HELLO, DISCONNECT, PING, PONG, GET_PEERS and PEERS are dealt with inside, and codes that nobody uses. What
   * it throws, or rejects with, closes the connection: a P2pError as an error of the other end, all else as ours.
   */
  onFrame(listener: (code: number, payload: Buffer) => void | Promise<void>): void
  /** Who is told, once, that the connection is over; at once when it is already. */
  onClose(listener: (why: CloseReason) => void): void
  /** Sends DISCONNECT and closes the socket; without a reason it only closes. No frame is given to anybody after. */
  close(reason?: number): void
}
