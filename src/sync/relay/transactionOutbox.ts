import { impersonatedSender } from '../../chain/codec/impersonated.ts'
import { parseTransaction } from '../../chain/codec/transactionDecoder.ts'
import { isDevelopmentNetwork, type NetworkSpec } from '../../config/networkSpec.ts'
import { keccak256 } from '../../native/crypto.ts'
import type { Peer, PeerSet } from '../../p2p/peer.ts'
import { KnownItems } from './knownItems.ts'

/** Bytes of transactions in one message; a longer transaction goes alone. */
export const MESSAGE_BYTES: number = 128 * 1024

/** Bytes and number of transactions that are held for peers: the same for all. */
const HELD_BYTES: number = 4 * 1024 * 1024
const HELD_TRANSACTIONS = 16_384

/**
 * Milliseconds for which the last transactions are held for peers that come, and their number: a connection that was sent something
 * of them may have been on its end, as one of two that two nodes open to one another at the same time.
 */
const HELD_MILLISECONDS = 60_000
const HELD_WHEN_SENT = 1024

/** Transactions that a peer sent, which are not sent back. */
const KNOWN_PER_PEER = 4096

interface Held {
  readonly hash: Buffer
  readonly encoded: Buffer
  /** Milliseconds of the steady clock. */
  readonly at: number
}

interface Reader {
  /** Number of the next transaction that this peer gets, counted from the first ever. */
  next: number
  readonly known: KnownItems
}

/** New transactions on their way to peers: each is held once, and each peer goes through them at its own pace. */
export class TransactionOutbox {
  readonly #spec: NetworkSpec
  readonly #peers: PeerSet
  readonly #readers = new Map<Peer, Reader>()
  #held: Held[] = []
  #bytes = 0
  /** Transactions that were held and are no more. */
  #gone = 0
  readonly #now: () => number

  /** @param now milliseconds, steady */
  constructor(spec: NetworkSpec, peers: PeerSet, now: () => number) {
    this.#spec = spec
    this.#peers = peers
    this.#now = now
  }

  /** Bytes that are held. */
  get heldBytes(): number {
    return this.#bytes
  }

  /** A peer is there: it gets what is held. */
  peerCame(peer: Peer): void {
    this.#readers.set(peer, { next: this.#gone, known: new KnownItems(KNOWN_PER_PEER) })
  }

  /** A peer has a transaction. */
  recordKnown(peer: Peer, hash: Buffer): void {
    this.#readerOf(peer).known.add(hash)
  }

  /** Holds transactions for every peer that is connected, and for those that come within a minute. */
  add(transactions: readonly Buffer[]): void {
    for (const peer of this.#peers.peers) this.#readerOf(peer)
    const at = this.#now()
    for (const encoded of transactions) {
      if (!this.#isForOthers(encoded)) continue
      this.#held.push({ hash: keccak256(encoded), encoded, at })
      this.#bytes += encoded.length
    }
    this.#forget()
  }

  /** Sends each peer one message of what it did not get yet. */
  flush(): void {
    for (const peer of this.#peers.peers) {
      const reader = this.#readers.get(peer)
      if (reader !== undefined) this.#send(peer, reader)
    }
    if (this.#held.length === 0) return
    const connected = new Set(this.#peers.peers)
    const positions = [...this.#readers].filter(([peer]) => connected.has(peer)).map(([, { next }]) => next)
    if (positions.length === 0) return
    const fresh = this.#held.findIndex(({ at }) => this.#now() - at < HELD_MILLISECONDS)
    const old = fresh < 0 ? this.#held.length : Math.max(fresh, this.#held.length - HELD_WHEN_SENT)
    this.#drop(Math.min(old, Math.min(...positions) - this.#gone))
  }

  peerGone(peer: Peer): void {
    this.#readers.delete(peer)
  }

  get #end(): number {
    return this.#gone + this.#held.length
  }

  #send(peer: Peer, reader: Reader): void {
    const message: Buffer[] = []
    let bytes = 0
    let next = Math.max(reader.next, this.#gone)
    for (; next < this.#end; next += 1) {
      const held = this.#held[next - this.#gone]
      if (held === undefined || reader.known.has(held.hash)) continue
      if (message.length > 0 && bytes + held.encoded.length > MESSAGE_BYTES) break
      message.push(held.encoded)
      bytes += held.encoded.length
    }
    // What does not fit goes with a later message.
    if (message.length === 0 || peer.send({ type: 'transactions', transactions: message })) reader.next = next
  }

  /** The oldest go first; who was too slow does not get them. */
  #forget(): void {
    let count = Math.max(0, this.#held.length - HELD_TRANSACTIONS)
    let bytes = this.#bytes - this.#held.slice(0, count).reduce((sum, { encoded }) => sum + encoded.length, 0)
    for (; bytes > HELD_BYTES; count += 1) bytes -= this.#held[count]?.encoded.length ?? bytes
    this.#drop(count)
  }

  #drop(count: number): void {
    if (count <= 0) return
    for (const { encoded } of this.#held.slice(0, count)) this.#bytes -= encoded.length
    this.#held = this.#held.slice(count)
    this.#gone += count
  }

  #readerOf(peer: Peer): Reader {
    const reader = this.#readers.get(peer) ?? { next: this.#end, known: new KnownItems(KNOWN_PER_PEER) }
    this.#readers.set(peer, reader)
    return reader
  }

  /** On a development chain transactions can lack a signature: no other node would take them. */
  #isForOthers(encoded: Buffer): boolean {
    return !isDevelopmentNetwork(this.#spec) || impersonatedSender(parseTransaction(encoded)) === null
  }
}
