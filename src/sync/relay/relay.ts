import type { Logger } from '../../observe/logger.ts'
import type { PeerMessage } from '../../p2p/messages/rskMessage.ts'
import type { Peer, PeerSet } from '../../p2p/peer.ts'
import { createSteadyClock } from '../../util/steadyClock.ts'
import type { SyncChain } from '../syncChain.ts'
import { announcedStatus } from './announcedStatus.ts'
import { BlockRelay } from './blockRelay.ts'
import { DEFAULT_TRANSACTION_LIMITS, TransactionInbox, type TransactionLimits } from './transactionInbox.ts'
import { TransactionOutbox } from './transactionOutbox.ts'

/** Intervals at which transactions, and a changed status, are sent, milliseconds. */
const TRANSACTIONS_MS = 100
const STATUS_MS = 10_000

/** Dependencies of the relay of blocks and transactions. */
export interface RelayOptions {
  readonly chain: SyncChain
  readonly peers: PeerSet
  /** True when peers are far above (p2p.md §6). */
  readonly isFarBehind: () => boolean
  readonly limits?: Partial<TransactionLimits>
  readonly logger?: Logger
  /** Milliseconds, steady. */
  readonly now?: () => number
  /** A number from 0 to below 1. */
  readonly random?: () => number
  /** Calls a function at intervals; returns a function that stops it. */
  readonly every?: (milliseconds: number, action: () => void) => () => void
}

/** Relays blocks and transactions, and announces the status of this node's chain (p2p.md §6). */
export class Relay {
  readonly #options: RelayOptions
  readonly #blocks: BlockRelay
  readonly #inbox: TransactionInbox
  readonly #outbox: TransactionOutbox
  /** Hash of the best block in the last status sent to each peer. */
  readonly #announced = new WeakMap<Peer, Buffer>()
  readonly #ends: (() => void)[] = []

  constructor(options: RelayOptions) {
    const { chain, peers, isFarBehind, random = Math.random, now = createSteadyClock(), logger } = options
    this.#options = options
    this.#blocks = new BlockRelay({ chain, peers, isFarBehind, random })
    this.#outbox = new TransactionOutbox(chain.spec, peers, now)
    this.#inbox = new TransactionInbox({
      chain,
      limits: { ...DEFAULT_TRANSACTION_LIMITS, ...options.limits },
      now,
      onKnown: (peer, hash) => this.#outbox.recordKnown(peer, hash),
      ...(logger === undefined ? {} : { logger }),
    })
  }

  /** Blocks that peers have. */
  get blocks(): BlockRelay {
    return this.#blocks
  }

  /** Bytes of transactions that wait for the pool and for peers, and the number of dropped ones. */
  get stats(): { readonly waitingBytes: number; readonly dropped: number; readonly heldBytes: number } {
    return { ...this.#inbox.stats, heldBytes: this.#outbox.heldBytes }
  }

  start(): void {
    const { chain, every = everyUnreferenced } = this.#options
    this.#ends.push(
      chain.onTip((change) => this.#blocks.onTip(change)),
      chain.onTransactions((encoded) => this.#outbox.add(encoded)),
      every(TRANSACTIONS_MS, () => this.#outbox.flush()),
      every(STATUS_MS, () => this.#announceStatus()),
    )
  }

  close(): void {
    for (const end of this.#ends.splice(0)) end()
    this.#inbox.close()
  }

  /** A peer connected; it got the current status with the handshake. */
  onPeer(peer: Peer): void {
    const { bestHash } = announcedStatus(this.#options.chain)
    this.#announced.set(peer, bestHash)
    this.#outbox.peerCame(peer)
    if (peer.status !== null) this.#blocks.record(peer, peer.status.bestHash)
  }

  onPeerGone(peer: Peer): void {
    this.#inbox.peerGone(peer)
    this.#outbox.peerGone(peer)
  }

  /** Handles messages of the relay; others are ignored. */
  onMessage(peer: Peer, message: PeerMessage): void {
    if (message.type !== 'transactions') {
      this.#blocks.onMessage(peer, message)
      return
    }
    // A pool that is far behind cannot validate them (p2p.md §6).
    if (!this.#options.isFarBehind()) this.#inbox.receive(peer, message.transactions)
  }

  #announceStatus(): void {
    const status = announcedStatus(this.#options.chain)
    for (const peer of this.#options.peers.peers) {
      if (this.#announced.get(peer)?.equals(status.bestHash)) continue
      if (peer.send({ type: 'status', status })) this.#announced.set(peer, status.bestHash)
    }
  }
}

function everyUnreferenced(milliseconds: number, action: () => void): () => void {
  const timer = setInterval(action, milliseconds)
  timer.unref()
  return () => clearInterval(timer)
}
