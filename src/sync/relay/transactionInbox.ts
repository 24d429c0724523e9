import { parseTransaction } from '../../chain/codec/transactionDecoder.ts'
import { keccak256 } from '../../native/crypto.ts'
import type { Logger } from '../../observe/logger.ts'
import type { Peer } from '../../p2p/peer.ts'
import { TRUSTED_FACTOR } from '../../p2p/peers/limits.ts'
import type { SyncChain } from '../syncChain.ts'
import { KnownItems } from './knownItems.ts'

/** Limits of the transactions of peers. */
export interface TransactionLimits {
  /** Largest transaction, bytes (p2p.md §4). */
  readonly longest: number
  /** Most bytes that wait for the pool and its response, per peer and in total. */
  readonly waitingPerPeer: number
  readonly waiting: number
  /** Bytes and transactions per peer and second; the burst is as large. */
  readonly bytesPerSecond: number
  readonly perSecond: number
  /** Most transactions and bytes passed to the pool at once. */
  readonly batch: number
  readonly batchBytes: number
  /** Most received transactions that are remembered, whatever their result. */
  readonly seen: number
}

const KIB = 1024
const MIB = 1024 * KIB

/** Limits of a node on a network. */
export const DEFAULT_TRANSACTION_LIMITS: TransactionLimits = {
  longest: 131_072,
  waitingPerPeer: MIB,
  waiting: 16 * MIB,
  bytesPerSecond: 512 * KIB,
  perSecond: 500,
  batch: 256,
  batchBytes: 512 * KIB,
  seen: 65_536,
}

/** Overhead of a waiting transaction, bytes. */
const OVERHEAD_BYTES = 256
/** Burst of a peer, in seconds of its rate. */
const BURST_SECONDS = 2
const SECOND = 1000

interface Waiting {
  readonly hash: Buffer
  readonly encoded: Buffer
}

interface Line {
  readonly peer: Peer
  readonly waiting: Waiting[]
  bytes: number
  bytesLeft: number
  countLeft: number
  at: number
}

/** Dependencies of the inbox. */
export interface TransactionInboxOptions {
  readonly chain: Pick<SyncChain, 'addTransactions'>
  readonly limits: TransactionLimits
  readonly now: () => number
  readonly logger?: Logger
  /** Called with each transaction that a peer is known to have. */
  readonly onKnown: (peer: Peer, hash: Buffer) => void
}

/**
 * Queue of the transactions of peers for the pool, bounded in bytes and rate per peer, and served
 * round-robin.
 */
export class TransactionInbox {
  readonly #options: TransactionInboxOptions
  readonly #lines = new Map<Peer, Line>()
  readonly #seen: KnownItems
  #waitingBytes = 0
  #dropped = 0
  #running: Promise<void> | null = null
  #closed = false

  constructor(options: TransactionInboxOptions) {
    this.#options = options
    this.#seen = new KnownItems(options.limits.seen)
  }

  /** Waiting bytes, and transactions that were dropped for lack of memory or for their rate. */
  get stats(): { readonly waitingBytes: number; readonly dropped: number } {
    return { waitingBytes: this.#waitingBytes, dropped: this.#dropped }
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  receive(peer: Peer, transactions: readonly Buffer[]): void {
    if (this.#closed) return
    const line = this.#lineOf(peer)
    for (const encoded of transactions) {
      if (encoded.length > this.#options.limits.longest) continue
      if (!this.#mayCome(line, encoded.length)) {
        this.#dropped += 1
        continue
      }
      this.#take(line, encoded)
    }
    this.#run()
  }

  /** Transactions of a peer that nobody has judged may come from another one. */
  peerGone(peer: Peer): void {
    const line = this.#lines.get(peer)
    if (line === undefined) return
    this.#waitingBytes -= line.bytes
    this.#lines.delete(peer)
    for (const { hash } of line.waiting) this.#seen.delete(hash)
  }

  close(): void {
    this.#closed = true
    this.#lines.clear()
    this.#waitingBytes = 0
  }

  #take(line: Line, encoded: Buffer): void {
    const hash = keccak256(encoded)
    this.#options.onKnown(line.peer, hash)
    if (this.#seen.has(hash)) return
    const { waiting } = this.#options.limits
    const { waitingPerPeer } = this.#ratesOf(line.peer)
    const bytes = encoded.length + OVERHEAD_BYTES
    if (line.bytes + bytes > waitingPerPeer || this.#waitingBytes + bytes > waiting) {
      this.#dropped += 1
      return
    }
    this.#seen.add(hash)
    if (!isTransaction(encoded)) {
      line.peer.score('invalidTransaction')
      return
    }
    // A copy, because the received bytes are a view of the whole message.
    line.waiting.push({ hash, encoded: Buffer.from(encoded) })
    line.bytes += bytes
    this.#waitingBytes += bytes
  }

  /** Charges the allowance of the peer; known transactions count as well. */
  #mayCome(line: Line, bytes: number): boolean {
    const { bytesPerSecond, perSecond } = this.#ratesOf(line.peer)
    const now = this.#options.now()
    const seconds = Math.max(0, now - line.at) / SECOND
    line.at = now
    line.bytesLeft = Math.min(BURST_SECONDS * bytesPerSecond, line.bytesLeft + seconds * bytesPerSecond)
    line.countLeft = Math.min(BURST_SECONDS * perSecond, line.countLeft + seconds * perSecond)
    if (line.bytesLeft < bytes || line.countLeft < 1) return false
    line.bytesLeft -= bytes
    line.countLeft -= 1
    return true
  }

  #lineOf(peer: Peer): Line {
    const { bytesPerSecond, perSecond } = this.#ratesOf(peer)
    const line = this.#lines.get(peer) ?? {
      peer,
      waiting: [],
      bytes: 0,
      bytesLeft: BURST_SECONDS * bytesPerSecond,
      countLeft: BURST_SECONDS * perSecond,
      at: this.#options.now(),
    }
    this.#lines.set(peer, line)
    return line
  }

  #ratesOf({ trusted }: Peer): Pick<TransactionLimits, 'bytesPerSecond' | 'perSecond' | 'waitingPerPeer'> {
    const { limits } = this.#options
    if (!trusted) return limits
    const { bytesPerSecond, perSecond, waitingPerPeer } = limits
    return {
      bytesPerSecond: TRUSTED_FACTOR * bytesPerSecond,
      perSecond: TRUSTED_FACTOR * perSecond,
      waitingPerPeer: TRUSTED_FACTOR * waitingPerPeer,
    }
  }

  #run(): void {
    if (this.#running !== null || this.#waitingBytes === 0) return
    this.#running = this.#addToPool().finally(() => {
      this.#running = null
      if (!this.#closed) this.#run()
    })
  }

  async #addToPool(): Promise<void> {
    const batch = this.#nextBatch()
    try {
      const outcomes = await this.#options.chain.addTransactions(batch.map(({ encoded }) => encoded))
      outcomes.forEach((outcome, index) => {
        if (outcome === 'added') batch[index]?.line.peer.score('validTransaction')
        else if (outcome === 'invalid') batch[index]?.line.peer.score('invalidTransaction')
      })
    } catch (error) {
      // An internal error is no peer's fault.
      this.#options.logger?.error({ err: error }, 'transactions of peers could not be judged')
      for (const { hash } of batch) this.#seen.delete(hash)
    }
    for (const { line, encoded } of batch) this.#release(line, encoded)
  }

  /**
   * Removes the transactions that the pool has processed; those of disconnected peers were released before.
   */
  #release(line: Line, { length }: Buffer): void {
    if (this.#lines.get(line.peer) !== line) return
    line.bytes -= length + OVERHEAD_BYTES
    this.#waitingBytes -= length + OVERHEAD_BYTES
  }

  /** One transaction per peer, round-robin. */
  #nextBatch(): (Waiting & { readonly line: Line })[] {
    const { batch: most, batchBytes } = this.#options.limits
    const batch: (Waiting & { readonly line: Line })[] = []
    let bytes = 0
    let lines = [...this.#lines.values()]
    while (lines.length > 0) {
      lines = lines.filter(({ waiting }) => waiting.length > 0)
      for (const line of lines) {
        const [first] = line.waiting
        if (first === undefined) continue
        const { encoded } = first
        if (batch.length === most || (batch.length > 0 && bytes + encoded.length > batchBytes)) return batch
        line.waiting.shift()
        bytes += encoded.length
        batch.push({ line, ...first })
      }
    }
    return batch
  }
}

function isTransaction(encoded: Buffer): boolean {
  try {
    parseTransaction(encoded)
    return true
  } catch {
    return false
  }
}
