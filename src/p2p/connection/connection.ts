import type { Capability } from '../messages/hello.ts'
import type { FrameMemory } from '../wire/frameReader.ts'
import type { P2pError } from '../wire/p2pError.ts'

/** Reason why a connection ended. */
export type CloseReason =
  /** This node closed it; the reason that it sent in DISCONNECT, null without one. */
  | { readonly kind: 'local'; readonly reason: number | null }
  /** The other end sent DISCONNECT. */
  | { readonly kind: 'remote'; readonly reason: number }
  /** The other end closed the socket, or the network failed. */
  | { readonly kind: 'ended' }
  /** The other end violated the protocol or timed out: closed by us. */
  | { readonly kind: 'error'; readonly error: P2pError }
  /** This node failed to process a frame, which is not the other end's fault. */
  | { readonly kind: 'failure'; readonly error: unknown }

/** The announcement of the other end in HELLO (p2p.md §3), unverified. */
export interface RemoteHello {
  readonly p2pVersion: number
  /** At most 256 characters, printable. */
  readonly client: string
  readonly capabilities: readonly Capability[]
  readonly listenPort: number
}

/** A connection after both HELLO. */
export interface Connection {
  /** 64 bytes; the other end has proved that it has the key. */
  readonly remoteId: Buffer
  /** IP of the other end. */
  readonly address: string
  readonly remotePort: number
  /** True when the other end dialled. */
  readonly inbound: boolean
  readonly hello: RemoteHello
  /** True when both ends announced a capability in this version. */
  shares(name: string, version: number): boolean
  /** Bytes written that the socket has not yet sent. */
  readonly bufferedBytes: number
  readonly bytesIn: number
  readonly bytesOut: number
  /**
   * Sends a frame; does nothing after the end of the connection.
   * @param code absolute code (p2p.md §3)
   * @param payload RLP, together with the code below {@link MAX_FRAME_BYTES}
   * @throws RangeError for a longer one
   */
  send(code: number, payload: Buffer): void
  /**
   * Sets the memory of an incomplete frame: when it is used up the connection ends. Set it before onFrame.
   */
  set frameMemory(memory: FrameMemory)
  /** Sets the listener for received bytes, which may delay further reads. Set it before onFrame. */
  set onBytes(listener: (count: number) => Promise<void> | undefined)
  /**
   * Sets the receiver of frames, once. Frames are delivered in order, and the next is read only when the
   * promise of the last one has resolved. HELLO, DISCONNECT, PING, PONG, GET_PEERS and PEERS are handled
   * internally, as are unused codes. An exception or rejection closes the connection: a P2pError as an error
   * of the other end, any other as ours.
   */
  onFrame(listener: (code: number, payload: Buffer) => void | Promise<void>): void
  /**
   * Sets the listener for the end of the connection, which is called once; at once when it has ended already.
   */
  onClose(listener: (why: CloseReason) => void): void
  /**
   * Sends DISCONNECT and closes the socket; without a reason it only closes. No frame is delivered
   * afterwards.
   */
  close(reason?: number): void
}
