import type { FleetChainService, MemberId } from '../interface.ts'
import type { FleetCallsPort } from '../part.ts'
import { decodeBatch, encodeBatch, MAX_BATCH, MAX_BATCH_BYTES } from './batch.ts'

const HASHES_SERVICE = 'waiting'
const TRANSACTIONS_SERVICE = 'transactions'
const HASH_LENGTH = 32
/** Most hashes that one member tells, bytes: more than any pool of today has. */
const MAX_HASHES = 8 * 1024 * 1024
/** Transactions that are asked for at once. */
const ASKED_AT_ONCE = 256
/** Milliseconds for an answer. */
const PATIENCE = 5000
/** Milliseconds before what failed, or what was missed meanwhile, is tried again. */
const PAUSE = 1000

export interface PoolExchangeParts {
  readonly calls: FleetCallsPort
  readonly self: MemberId
  readonly chain: Pick<FleetChainService, 'waiting' | 'lacking' | 'transactions' | 'hear'>
  isPresent(member: MemberId): boolean
  count(name: string, by?: number): void
  onFailure(error: unknown): void
}

/** Fetches what wait in the pools of others and not here: of a member that is heard for the first time, or again. */
export class PoolExchange {
  readonly #parts: PoolExchangeParts
  readonly #wanted = new Set<MemberId>()
  #running: Promise<void> | null = null
  #isClosed = false

  constructor(parts: PoolExchangeParts) {
    this.#parts = parts
    const { calls, chain } = parts
    calls.serve(HASHES_SERVICE, async () => Buffer.from((await chain.waiting()).subarray(0, MAX_HASHES)))
    calls.serve(TRANSACTIONS_SERVICE, async (payload) => this.#give(payload))
  }

  /** Compares the pool of a member with the own one, once it is present. */
  compare(member: MemberId): void {
    this.#wanted.add(member)
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
  }

  close(): void {
    this.#isClosed = true
  }

  async #run(): Promise<void> {
    while (this.#wanted.size > 0 && !this.#isClosed) {
      const member = [...this.#wanted].find((wanted) => this.#parts.isPresent(wanted))
      if (member === undefined) await pause()
      else {
        this.#wanted.delete(member)
        await this.#fetch(member).catch(async (error: unknown) => {
          this.#parts.onFailure(error)
          this.#wanted.add(member)
          await pause()
        })
      }
    }
  }

  async #fetch(member: MemberId): Promise<void> {
    const { calls, chain, count } = this.#parts
    const hashes = await calls.call(member, HASHES_SERVICE, Buffer.alloc(0), PATIENCE)
    if (hashes.length > MAX_HASHES) throw new RangeError('too many hashes of transactions')
    const lacking = await chain.lacking(hashes)
    for (let at = 0; at < lacking.length; at += ASKED_AT_ONCE) {
      const asked = Buffer.concat(lacking.slice(at, at + ASKED_AT_ONCE).map((hash) => Buffer.from(hash)))
      const { transactions } = decodeBatch(await calls.call(member, TRANSACTIONS_SERVICE, asked, PATIENCE))
      await chain.hear(transactions)
      count('fetchedTransactions', transactions.length)
    }
  }

  async #give(payload: Buffer): Promise<Buffer> {
    const { chain, self } = this.#parts
    const count = Math.min(ASKED_AT_ONCE, Math.floor(payload.length / HASH_LENGTH))
    const hashes = Array.from({ length: count }, (_, index) =>
      payload.subarray(index * HASH_LENGTH, (index + 1) * HASH_LENGTH),
    )
    const found = await chain.transactions(hashes)
    let bytes = 0
    const given = found.filter((encoded) => {
      if (bytes + encoded.length > MAX_BATCH_BYTES) return false
      bytes += encoded.length
      return true
    })
    const transactions = given.slice(0, MAX_BATCH).map((encoded) => Buffer.from(encoded))
    return encodeBatch({ from: self, number: 0, transactions })
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PAUSE).unref()
  })
}
