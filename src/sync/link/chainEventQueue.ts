import type { ChainTip } from '../syncChain.ts'
import type { SyncLinkEvent, TipMessage } from './messages.ts'

/** Limits of what waits for the peer thread. */
export interface NewsLimits {
  /** Most bytes that were sent and not acknowledged; one more event may be sent. */
  readonly unacknowledgedBytes: number
  /** Most bytes of transactions that wait to be sent; the oldest are dropped first. */
  readonly waitingBytes: number
  /** Most bytes of transactions in one event; a longer transaction is sent alone. */
  readonly noticeBytes: number
  /** Most recent blocks that joined the chain which one event names. */
  readonly enacted: number
}

const KIB = 1024
const MIB = 1024 * KIB

/** Limits of a node: what waits for peers behind it is bounded in the same way (`relay/transactionOutbox.ts`). */
export const DEFAULT_NEWS_LIMITS: NewsLimits = {
  unacknowledgedBytes: MIB,
  waitingBytes: 4 * MIB,
  noticeBytes: 512 * KIB,
  enacted: 64,
}

/** Overhead of an event, and of each transaction or block in it, bytes. */
const OVERHEAD_BYTES = 256

type EventSink = (notice: SyncLinkEvent) => void

interface EnactedBlock {
  readonly number: number
  readonly hash: Uint8Array
}

/**
 * Sends events of the chain to the peer thread. A thread that is slow, or was restarted, receives the current
 * head: intermediate heads are skipped, and so are the oldest transactions where there are too many.
 */
export class ChainEventQueue {
  readonly #tip: () => ChainTip
  readonly #limits: NewsLimits
  #sink: EventSink | null = null
  /** Bytes of each unacknowledged event. */
  #unacknowledged: number[] = []
  #unacknowledgedBytes = 0
  #hasTip = false
  #enacted: EnactedBlock[] = []
  #transactions: Uint8Array[] = []
  #bytes = 0
  #dropped = 0

  constructor(tip: () => ChainTip, limits: NewsLimits = DEFAULT_NEWS_LIMITS) {
    this.#tip = tip
    this.#limits = limits
  }

  /** Bytes that were sent and not acknowledged, bytes that wait, and dropped transactions. */
  get stats(): {
    readonly unacknowledgedBytes: number
    readonly waitingBytes: number
    readonly dropped: number
  } {
    return {
      unacknowledgedBytes: this.#unacknowledgedBytes,
      waitingBytes: this.#bytes,
      dropped: this.#dropped,
    }
  }

  /**
   * Starts to send to a thread, beginning with the head.
   * @param pending all pending transactions, including those that an earlier thread did not relay
   */
  attach(sink: EventSink, pending: Iterable<Buffer>): void {
    this.#sink = sink
    this.#unacknowledged = []
    this.#unacknowledgedBytes = 0
    this.#transactions = []
    this.#bytes = 0
    this.#hasTip = true
    for (const encoded of pending) {
      if (this.#bytes + encoded.length + OVERHEAD_BYTES > this.#limits.waitingBytes) break
      this.#hold(encoded)
    }
    this.#flush()
  }

  /** The thread ended. The next one reads what happens meanwhile from the chain and the pool. */
  detach(sink: EventSink): void {
    if (this.#sink !== sink) return
    this.#sink = null
    this.#transactions = []
    this.#bytes = 0
    this.#enacted = []
  }

  /** The thread acknowledged its oldest event. */
  acknowledged(sink: EventSink): void {
    if (this.#sink !== sink) return
    this.#unacknowledgedBytes -= this.#unacknowledged.shift() ?? 0
    this.#flush()
  }

  /** Sends the head first if it changed: a thread that receives a response has the resulting head. */
  sendTip(): void {
    if (this.#sink !== null && this.#hasTip) this.#send(this.#sink, this.#nextTip())
  }

  tipChanged(enacted: readonly { readonly number: number; readonly hash: Buffer }[]): void {
    if (this.#sink === null) return
    this.#hasTip = true
    const newest = enacted.slice(-this.#limits.enacted)
    this.#enacted.push(...newest.map(({ number, hash }) => ({ number, hash: copyOf(hash) })))
    this.#enacted = this.#enacted.slice(-this.#limits.enacted)
    this.#flush()
  }

  transactionsAdded(encoded: readonly Buffer[]): void {
    if (this.#sink === null) return
    for (const one of encoded) this.#hold(one)
    let count = 0
    for (let bytes = this.#bytes; bytes > this.#limits.waitingBytes; count += 1) {
      bytes -= costOf(this.#transactions[count])
    }
    this.#dropped += this.#take(count).length
    this.#flush()
  }

  #hold(encoded: Buffer): void {
    this.#transactions.push(copyOf(encoded))
    this.#bytes += encoded.length + OVERHEAD_BYTES
  }

  #take(count: number): Uint8Array[] {
    if (count === 0) return []
    const taken = this.#transactions.splice(0, count)
    for (const one of taken) this.#bytes -= costOf(one)
    return taken
  }

  #flush(): void {
    while (this.#sink !== null && this.#unacknowledgedBytes < this.#limits.unacknowledgedBytes) {
      const next = this.#hasTip ? this.#nextTip() : this.#nextTransactions()
      if (next === null) return
      this.#send(this.#sink, next)
    }
  }

  #send(sink: EventSink, { notice, bytes }: { notice: SyncLinkEvent; bytes: number }): void {
    this.#unacknowledged.push(bytes)
    this.#unacknowledgedBytes += bytes
    sink(notice)
  }

  #nextTip(): { notice: SyncLinkEvent; bytes: number } {
    const enacted = this.#enacted
    this.#hasTip = false
    this.#enacted = []
    const bytes = OVERHEAD_BYTES * (1 + enacted.length)
    return { notice: { kind: 'tip', tip: toMessage(this.#tip()), enacted }, bytes }
  }

  #nextTransactions(): { notice: SyncLinkEvent; bytes: number } | null {
    let count = 0
    let bytes = OVERHEAD_BYTES
    for (const one of this.#transactions) {
      if (count > 0 && bytes + costOf(one) > this.#limits.noticeBytes) break
      bytes += costOf(one)
      count += 1
    }
    return count === 0 ? null : { notice: { kind: 'transactions', encoded: this.#take(count) }, bytes }
  }
}

function costOf(transaction: Uint8Array | undefined): number {
  return (transaction?.length ?? 0) + OVERHEAD_BYTES
}

function toMessage({ number, hash, parentHash, totalDifficulty }: ChainTip): TipMessage {
  return { number, hash: copyOf(hash), parentHash: copyOf(parentHash), totalDifficulty }
}

/**
 * A message transfers the whole memory of a view: for a hash in a header that of all blocks received with it.
 */
function copyOf(bytes: Buffer): Uint8Array {
  return Uint8Array.from(bytes)
}
