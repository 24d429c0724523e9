import { recoverSenders } from '../chain/codec/signature.ts'
import type { Transaction } from '../chain/codec/transaction.ts'
import { parseTransaction } from '../chain/codec/transactionDecoder.ts'
import type { ChainEnvironment, TableWriter } from '../storage/environment.ts'
import type { Arrival, PooledTransaction, SignedTransaction } from './interface.ts'

const MILLISECONDS_LENGTH = 8
const HEIGHT_LENGTH = 8
const HEAD_LENGTH = MILLISECONDS_LENGTH + HEIGHT_LENGTH

/** Transactions of the pool in the chain store, so that they outlive the process. */
export class PoolJournal {
  readonly #environment: ChainEnvironment
  readonly #kept = new Map<string, PooledTransaction>()
  readonly #removed = new Map<string, Transaction>()

  constructor(environment: ChainEnvironment) {
    this.#environment = environment
  }

  /** Everything that was kept, the oldest first. */
  load(): (SignedTransaction & Arrival)[] {
    const entries = [...this.#environment.entries('poolJournal')].map(({ value }) => ({
      addedAt: Number(value.readBigUInt64BE(0)),
      addedAtBlock: Number(value.readBigUInt64BE(MILLISECONDS_LENGTH)),
      transaction: parseTransaction(value.subarray(HEAD_LENGTH)),
    }))
    const senders = recoverSenders(entries.map(({ transaction }) => transaction))
    return entries
      .flatMap((entry, index) => {
        const sender = senders[index]
        return sender ? [{ ...entry, sender }] : []
      })
      .sort((a, b) => a.addedAt - b.addedAt || (a.transaction.nonce < b.transaction.nonce ? -1 : 1))
  }

  /** Notes that the pool took a transaction. */
  keep(entry: PooledTransaction): void {
    this.#kept.set(entry.transaction.hashHex, entry)
  }

  /** Notes that a transaction left the pool. One that came since the last write was never in the journal. */
  remove(transaction: Transaction): void {
    const { hashHex } = transaction
    if (!this.#kept.delete(hashHex)) this.#removed.set(hashHex, transaction)
  }

  /** Writes what was noted, in one transaction. Durable when the environment is flushed. */
  write(): void {
    if (this.#kept.size === 0 && this.#removed.size === 0) return
    this.#environment.transaction((writer) => {
      for (const transaction of this.#removed.values()) writer.remove('poolJournal', transaction.hash)
      for (const entry of this.#kept.values()) put(writer, entry)
    })
    this.#kept.clear()
    this.#removed.clear()
  }
}

function put(writer: TableWriter, { transaction, addedAt, addedAtBlock }: PooledTransaction): void {
  const head = Buffer.alloc(HEAD_LENGTH)
  head.writeBigUInt64BE(BigInt(addedAt), 0)
  head.writeBigUInt64BE(BigInt(addedAtBlock), MILLISECONDS_LENGTH)
  writer.put('poolJournal', transaction.hash, Buffer.concat([head, transaction.encoded]))
}
