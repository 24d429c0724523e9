import { recoverSenders } from '../chain/codec/signature.ts'
import type { Transaction } from '../chain/codec/transaction.ts'
import { parseTransaction } from '../chain/codec/transactionDecoder.ts'
import { RecordLog } from '../storage/recordLog.ts'
import type { RecordLogKind, RecordLogStep } from '../storage/recordLogFormat.ts'
import type { Arrival, SignedTransaction } from './interface.ts'

/** Formats of the journal. */
export const POOL_JOURNAL_FORMATS: RecordLogKind = {
  kind: 'pool journal',
  name: "the pool's journal",
  current: 2,
  oldest: 1,
}

/** Every conversion of the journal, oldest first. */
export const POOL_JOURNAL_STEPS: readonly RecordLogStep[] = [
  {
    from: 1,
    to: 2,
    summary: 'a header names the format and the version that wrote it',
    convert: (records) => records,
  },
]

/** First byte of a record: milliseconds 8 ∥ height 8 ∥ RLP of a transaction that the pool took. */
const KEPT = 1
/** First byte of a record: hash 32 of a transaction that left the pool. */
const REMOVED = 2
const ADDED_AT = 1
const ADDED_AT_BLOCK = 9
const ENCODED = 17
/** Size from which on the file is written anew when most of it is of transactions that are gone. */
const LEAST_REWRITTEN = 4 * 1024 * 1024

type KeptTransaction = Pick<SignedTransaction, 'transaction'> & Arrival

/** Transactions of the pool in a file, so that they outlive the process. Belongs to the thread of the pool. */
export class PoolJournal {
  readonly #log: RecordLog
  readonly #leastRewritten: number
  /** What the file says is in the pool, by hash; what is being written counts as written. */
  readonly #written = new Map<string, KeptTransaction>()
  #writtenBytes = 0
  /** Notes since the last write began. */
  #kept = new Map<string, KeptTransaction>()
  #removed = new Map<string, Transaction>()
  /** The write that runs, or the next one when it is due. */
  #round: Promise<void> = Promise.resolve()
  #isDue = false

  /** Opens the file, making it when it is not there. */
  constructor(path: string, { leastRewritten = LEAST_REWRITTEN }: { leastRewritten?: number } = {}) {
    this.#log = new RecordLog(path, POOL_JOURNAL_FORMATS)
    this.#leastRewritten = leastRewritten
    for (const record of this.#log.records) this.#replay(record)
  }

  /** Transactions in the file. */
  get size(): number {
    return this.#written.size
  }

  /** Everything that was kept, the oldest first. */
  load(): (SignedTransaction & Arrival)[] {
    const entries = [...this.#written.values()]
    const senders = recoverSenders(entries.map(({ transaction }) => transaction))
    return entries
      .flatMap((entry, index) => {
        const sender = senders[index]
        return sender ? [{ ...entry, sender }] : []
      })
      .sort((a, b) => a.addedAt - b.addedAt || (a.transaction.nonce < b.transaction.nonce ? -1 : 1))
  }

  /** Notes that the pool took a transaction. */
  keep({ transaction, addedAt, addedAtBlock }: KeptTransaction): void {
    this.#kept.set(transaction.hashHex, { transaction, addedAt, addedAtBlock })
  }

  /** Notes that a transaction left the pool. One that came since the last write was never in the journal. */
  remove(transaction: Transaction): void {
    const { hashHex } = transaction
    this.#kept.delete(hashHex)
    if (this.#written.has(hashHex)) this.#removed.set(hashHex, transaction)
  }

  /**
   * Writes what was noted; resolves when it is on disk. Notes that are made while a write runs go with the next
   * one. What could not be written is noted again.
   */
  flush(): Promise<void> {
    const isNoted = this.#kept.size > 0 || this.#removed.size > 0
    if (isNoted && !this.#isDue) {
      this.#isDue = true
      this.#round = this.#round.catch(() => undefined).then(() => this.#write())
    }
    return this.#round
  }

  /** Waits for what is being written; what was noted since is lost. */
  async close(): Promise<void> {
    await this.#round.catch(() => undefined)
    this.#log.close()
  }

  async #write(): Promise<void> {
    this.#isDue = false
    const [kept, removed] = [this.#kept, this.#removed]
    this.#kept = new Map()
    this.#removed = new Map()
    // One that came back before its removal was written is removed first.
    const records = [...[...removed.values()].map(removalRecord), ...[...kept.values()].map(keptRecord)]
    const before = [...removed.keys(), ...kept.keys()].map((hash) => [hash, this.#written.get(hash)] as const)
    for (const hash of removed.keys()) this.#forget(hash)
    for (const [hash, entry] of kept) this.#remember(hash, entry)
    try {
      await this.#log.append(records)
    } catch (error) {
      for (const [hash, entry] of before) {
        this.#forget(hash)
        if (entry !== undefined) this.#remember(hash, entry)
      }
      this.#noteAgain(kept, removed)
      throw error
    }
    if (this.#log.size > this.#leastRewritten && this.#log.size > 2 * this.#writtenBytes) {
      await this.#log.replace([...this.#written.values()].map(keptRecord))
    }
  }

  /** What was noted meanwhile is newer. */
  #noteAgain(kept: ReadonlyMap<string, KeptTransaction>, removed: ReadonlyMap<string, Transaction>): void {
    for (const [hash, transaction] of removed) {
      if (this.#written.has(hash)) this.#removed.set(hash, transaction)
    }
    for (const [hash, entry] of kept) {
      if (!this.#kept.has(hash) && !this.#removed.has(hash)) this.#kept.set(hash, entry)
    }
  }

  #replay(record: Buffer): void {
    if (record[0] === REMOVED) {
      this.#forget(record.subarray(1).toString('hex'))
      return
    }
    const transaction = parseTransaction(record.subarray(ENCODED))
    this.#remember(transaction.hashHex, {
      transaction,
      addedAt: Number(record.readBigUInt64BE(ADDED_AT)),
      addedAtBlock: Number(record.readBigUInt64BE(ADDED_AT_BLOCK)),
    })
  }

  #remember(hash: string, entry: KeptTransaction): void {
    this.#forget(hash)
    this.#written.set(hash, entry)
    this.#writtenBytes += entry.transaction.encoded.length + ENCODED
  }

  #forget(hash: string): void {
    const entry = this.#written.get(hash)
    if (entry === undefined) return
    this.#written.delete(hash)
    this.#writtenBytes -= entry.transaction.encoded.length + ENCODED
  }
}

function keptRecord({ transaction, addedAt, addedAtBlock }: KeptTransaction): Buffer {
  const record = Buffer.allocUnsafe(ENCODED + transaction.encoded.length)
  record[0] = KEPT
  record.writeBigUInt64BE(BigInt(addedAt), ADDED_AT)
  record.writeBigUInt64BE(BigInt(addedAtBlock), ADDED_AT_BLOCK)
  record.set(transaction.encoded, ENCODED)
  return record
}

function removalRecord({ hash }: Transaction): Buffer {
  return Buffer.concat([Buffer.from([REMOVED]), hash])
}
