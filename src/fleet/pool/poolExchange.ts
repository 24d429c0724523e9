import { delay } from '../delay.ts'
import type { MemberId } from '../member.ts'
import type { FleetPartContext } from '../part.ts'
import { batchesOf, decodeBatch, encodeBatch } from './batch.ts'

const HASHES_SERVICE = 'waiting'
const TRANSACTIONS_SERVICE = 'transactions'
/** Most hashes that one member sends, bytes: more than any pool of today has. */
const MAX_HASHES_BYTES = 8 * 1024 * 1024
/** Hashes of transactions that are asked for at once, bytes. */
const ASKED_AT_ONCE = 256 * 32
/** Milliseconds for an answer. */
const PATIENCE = 5000
/** Milliseconds before what failed, or what was missed meanwhile, is tried again. */
const PAUSE = 1000

/** Fetches what wait in the pools of others and not here: of a member that appears for the first time, or again. */
export class PoolExchange {
  readonly #parts: FleetPartContext
  readonly #wanted = new Set<MemberId>()
  #running: Promise<void> | null = null
  #isClosed = false

  constructor(parts: FleetPartContext) {
    this.#parts = parts
    const { calls, chain, self } = parts
    calls.serve(HASHES_SERVICE, async () => (await chain.waiting()).subarray(0, MAX_HASHES_BYTES))
    calls.serve(TRANSACTIONS_SERVICE, async (hashes) => {
      const [transactions = []] = batchesOf(await chain.transactions(hashes.subarray(0, ASKED_AT_ONCE)))
      return encodeBatch({ from: self, number: 0, transactions })
    })
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
      const others = this.#parts.others()
      const member = [...this.#wanted].find((wanted) => others.includes(wanted))
      if (member !== undefined && (await this.#fetch(member))) continue
      await delay(PAUSE)
    }
  }

  /** @returns whether it has all that the member had */
  async #fetch(member: MemberId): Promise<boolean> {
    const { calls, chain, count, onFailure } = this.#parts
    this.#wanted.delete(member)
    try {
      const hashes = await calls.call(member, HASHES_SERVICE, Buffer.alloc(0), PATIENCE)
      const lacking = await chain.lacking(hashes.subarray(0, MAX_HASHES_BYTES))
      for (let at = 0; at < lacking.length; at += ASKED_AT_ONCE) {
        const asked = lacking.subarray(at, at + ASKED_AT_ONCE)
        const { transactions } = decodeBatch(await calls.call(member, TRANSACTIONS_SERVICE, asked, PATIENCE))
        await chain.receive(transactions)
        count('fetchedTransactions', transactions.length)
      }
      return true
    } catch (error) {
      onFailure('the pools of others', error)
      this.#wanted.add(member)
      return false
    }
  }
}
