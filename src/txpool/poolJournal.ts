import { recoverSenders } from '../chain/codec/signature.ts'
import type { Transaction } from '../chain/codec/transaction.ts'
import { parseTransaction } from '../chain/codec/transactionDecoder.ts'
import type { DataDirStore } from '../storage/formats/dataDirStore.ts'
import { RecordLog } from '../storage/recordLog.ts'
import { type RecordLogKind, type RecordLogStep, recordLogStore } from '../storage/recordLogFormat.ts'
import type { ArrivedTransaction } from './interface.ts'

/** Formats of the journal. */
const POOL_JOURNAL_FORMATS: RecordLogKind = {
  kind: 'pool journal',
  name: "the pool's journal",
  current: 2,
  oldest: 1,
}

/** Every conversion of the journal, oldest first. */
const POOL_JOURNAL_STEPS: readonly RecordLogStep[] = [
  {
    from: 1,
    to: 2,
    summary: 'a header names the format and the version that wrote it',
    convert: (records) => records,
  },
]

/** The file of a journal, as it is converted. */
export function poolJournalStore(path: string): DataDirStore {
  return recordLogStore(path, POOL_JOURNAL_FORMATS, POOL_JOURNAL_STEPS)
}

/** Type byte of a record: milliseconds 8 ∥ height 8 ∥ RLP of an added transaction. */
const KEPT = 1
/** Type byte of a record: hash 32 of a removed transaction. */
const REMOVED = 2
const ADDED_AT = 1
const ADDED_AT_BLOCK = 9
const ENCODED = 17
/** File size above which the file is compacted when most of its transactions are gone. */
const MIN_REWRITTEN_BYTES = 4 * 1024 * 1024

/**
 * The journal of the pool: a file with its transactions, which restores them after a restart. Used by the
 * thread of the pool only.
 */
export class PoolJournal {
  readonly #log: RecordLog
  readonly #leastRewritten: number
  /** Transactions that the file records as in the pool, by hash; a pending write counts as written. */
  readonly #written = new Map<string, ArrivedTransaction>()
  #writtenBytes = 0
  /** Changes since the last write began. */
  #added = new Map<string, ArrivedTransaction>()
  #removed = new Map<string, Transaction>()
  /** The running write, or the next one when it is scheduled. */
  #round: Promise<void> = Promise.resolve()
  #isDue = false

  /** Opens the file, creating it if necessary. */
  constructor(path: string, { leastRewritten = MIN_REWRITTEN_BYTES }: { leastRewritten?: number } = {}) {
    this.#log = new RecordLog(path, POOL_JOURNAL_FORMATS)
    this.#leastRewritten = leastRewritten
    for (const [hash, entry] of replay(this.#log.records)) this.#remember(hash, entry)
  }

  /** Transactions in the file. */
  get size(): number {
    return this.#written.size
  }

  /** All transactions of the journal, oldest first. */
  load(): ArrivedTransaction[] {
    return [...this.#written.values()].sort(
      (a, b) => a.addedAt - b.addedAt || (a.transaction.nonce < b.transaction.nonce ? -1 : 1),
    )
  }

  /** Records an added transaction. */
  keep(entry: ArrivedTransaction): void {
    this.#added.set(entry.transaction.hashHex, entry)
  }

  /** Records a removed transaction. One that was added since the last write was never in the journal. */
  remove(transaction: Transaction): void {
    const { hashHex } = transaction
    this.#added.delete(hashHex)
    if (this.#written.has(hashHex)) this.#removed.set(hashHex, transaction)
  }

  /**
   * Writes the recorded changes; resolves when they are on disk. Changes that are recorded during a write go
   * with the next one. Changes that could not be written are recorded again.
   */
  flush(): Promise<void> {
    const isNoted = this.#added.size > 0 || this.#removed.size > 0
    if (isNoted && !this.#isDue) {
      this.#isDue = true
      this.#round = this.#round.catch(() => undefined).then(() => this.#write())
    }
    return this.#round
  }

  /** Waits for the running write; changes since then are lost. */
  async close(): Promise<void> {
    await this.#round.catch(() => undefined)
    this.#log.close()
  }

  async #write(): Promise<void> {
    this.#isDue = false
    const [kept, removed] = [this.#added, this.#removed]
    this.#added = new Map()
    this.#removed = new Map()
    // A transaction that came back before its removal was written is removed first.
    const records = [...[...removed.values()].map(removalRecord), ...[...kept.values()].map(addedRecord)]
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
      this.#restoreChanges(kept, removed)
      throw error
    }
    if (this.#log.size > this.#leastRewritten && this.#log.size > 2 * this.#writtenBytes) {
      await this.#log.replace([...this.#written.values()].map(addedRecord))
    }
  }

  /** Changes recorded meanwhile are newer. */
  #restoreChanges(
    kept: ReadonlyMap<string, ArrivedTransaction>,
    removed: ReadonlyMap<string, Transaction>,
  ): void {
    for (const [hash, transaction] of removed) {
      if (this.#written.has(hash)) this.#removed.set(hash, transaction)
    }
    for (const [hash, entry] of kept) {
      if (!this.#added.has(hash) && !this.#removed.has(hash)) this.#added.set(hash, entry)
    }
  }

  #remember(hash: string, entry: ArrivedTransaction): void {
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

/** The transactions that records leave in the pool, by hash; those whose signature has no key are left out. */
function* replay(records: Iterable<Buffer>): Generator<readonly [hash: string, ArrivedTransaction]> {
  const kept = new Map<string, Omit<ArrivedTransaction, 'sender'>>()
  for (const record of records) {
    if (record[0] === REMOVED) {
      kept.delete(record.subarray(1).toString('hex'))
      continue
    }
    const transaction = parseTransaction(record.subarray(ENCODED))
    kept.delete(transaction.hashHex)
    kept.set(transaction.hashHex, {
      transaction,
      addedAt: Number(record.readBigUInt64BE(ADDED_AT)),
      addedAtBlock: Number(record.readBigUInt64BE(ADDED_AT_BLOCK)),
    })
  }
  const senders = recoverSenders([...kept.values()].map(({ transaction }) => transaction)).values()
  for (const [hash, entry] of kept) {
    const sender = senders.next().value ?? null
    if (sender !== null) yield [hash, { ...entry, sender }]
  }
}

function addedRecord({ transaction, addedAt, addedAtBlock }: ArrivedTransaction): Buffer {
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
