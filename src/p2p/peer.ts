import { CodedError } from '../util/codedError.ts'
import type { ChainStatus, PeerMessage, PeerRequest, ResponseTo } from './messages/rskMessage.ts'
import type { ScoreEventName } from './scoring/scoreEvents.ts'

/** A question without its id, which the peer gives it. */
export type UnnumberedRequest = PeerRequest extends infer Q
  ? Q extends PeerRequest
    ? Omit<Q, 'id'>
    : never
  : never

/** A peer gave no answer that could be used: it was silent, it left, or nothing more may be sent to it now. */
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
  /** What it calls itself. */
  readonly client: string
  /** Whether it announces `snap`/1, and whether both sides announce `rhizome`/1. */
  readonly snap: boolean
  readonly ranges: boolean
  /** What it last said of its chain, and when (milliseconds, steady clock); null until it did. */
  readonly status: (ChainStatus & { readonly receivedAt: number }) | null
  /** Questions that may be sent now without going over the messages of its minute (p2p.md §4 Limits). */
  readonly allowance: number
  /**
   * Asks; several questions may be open. An answer of another type or id is UNEXPECTED_MESSAGE.
   * @param timeout milliseconds
   * @throws PeerRequestError
   */
  request<Q extends PeerRequest>(
    question: Omit<Q, 'id'> & { type: Q['type'] },
    timeout: number,
  ): Promise<ResponseTo<Q>>
  /**
   * Sends what nobody waits for, or an answer.
   * @param isAnswer true for a block that was asked for by GET_BLOCK, whose answer does not show that it is one
   * @returns false when its queue is full: then the message is dropped
   */
  send(message: PeerMessage, isAnswer?: boolean): boolean
  /** Notes what it did (p2p.md §8); what is punished closes the connection. */
  score(event: ScoreEventName): void
  /** Ends the connection; `reason` is one of p2p.md §3. */
  disconnect(reason: number): void
}

/** Who is told what peers do. Messages of a peer come in their order; an answer to a question is not among them. */
export interface PeerListener {
  /** The handshake is over, and both STATUS were exchanged or the peer skips them. */
  onPeer(peer: Peer): void
  onPeerGone(peer: Peer): void
  /** @returns when it was dealt with: the next message of this peer waits for that */
  onMessage(peer: Peer, message: PeerMessage): void | Promise<void>
}

/** The peers of this node. */
export interface PeerSet {
  /** Connected peers whose handshake is over. */
  readonly peers: readonly Peer[]
}
