import { CodedError } from '../util/codedError.ts'
import type { ChainStatus, PeerMessage, PeerRequest, ResponseTo } from './messages/rskMessage.ts'
import type { ScoreEventName } from './scoring/scoreEvents.ts'

/** A request without its id, which the peer object assigns. */
export type UnnumberedRequest = PeerRequest extends infer Q
  ? Q extends PeerRequest
    ? Omit<Q, 'id'>
    : never
  : never

/**
 * A request without a usable response: it timed out, the peer disconnected, or nothing more may be sent to it
 * now.
 */
export class PeerRequestError extends CodedError<'TIMEOUT' | 'GONE' | 'BUSY'> {
  override readonly name = 'PeerRequestError'
}

/** A connected peer whose handshake is over. */
export interface Peer {
  /** Node id: 128 hex digits. */
  readonly id: string
  /** IP address of the other end, and the port that it says it listens on. */
  readonly address: string
  readonly port: number
  readonly inbound: boolean
  readonly trusted: boolean
  /** Name of its client. */
  readonly client: string
  /** True when it announces `snap`/1, and whether both sides announce `rhizome`/1. */
  readonly snap: boolean
  readonly ranges: boolean
  /** Its last status, and when it was received (milliseconds, monotonic clock); null before the first. */
  readonly status: (ChainStatus & { readonly receivedAt: number }) | null
  /** Requests that may be sent now within the message limit of its minute (p2p.md §4 Limits). */
  readonly allowance: number
  /**
   * Sends a request; several may be open. A response of another type or id is UNEXPECTED_MESSAGE.
   * @param timeout milliseconds
   * @throws PeerRequestError
   */
  request<Q extends PeerRequest>(
    question: Omit<Q, 'id'> & { type: Q['type'] },
    timeout: number,
  ): Promise<ResponseTo<Q>>
  /**
   * Sends a notification or a response.
   * @param isAnswer true for a block that was requested by GET_BLOCK, which does not show that it is a
   *   response
   * @returns false when its queue is full: then the message is dropped
   */
  send(message: PeerMessage, isAnswer?: boolean): boolean
  /** Scores an event (p2p.md §8); a punishment closes the connection. */
  score(event: ScoreEventName): void
  /** Ends the connection; `reason` is one of p2p.md §3. */
  disconnect(reason: number): void
}

/**
 * Listener for the events of peers. Messages of a peer come in order; responses to requests are not among
 * them.
 */
export interface PeerListener {
  /** The handshake is complete, and both STATUS were exchanged or the peer skips them. */
  onPeer(peer: Peer): void
  onPeerGone(peer: Peer): void
  /** @returns when it was handled: the next message of this peer waits for that */
  onMessage(peer: Peer, message: PeerMessage): void | Promise<void>
}

/** The peers of this node. */
export interface PeerSet {
  /** Connected peers whose handshake is over. */
  readonly peers: readonly Peer[]
}
