import type { FleetChainService, MemberId } from '../interface.ts'
import type { FleetNames } from '../nats/names.ts'
import type { FleetConnection } from '../nats/natsConnection.ts'
import { batchesOf, decodeBatch, decodeConfirmation, encodeBatch, encodeConfirmation } from './batch.ts'
import { Confirmations } from './confirmations.ts'

/** Batches of others that the chain thread has at the same time, and bytes that may wait for it. */
const MAX_HEARING = 16
const MAX_HEARD_BYTES = 32 * 1024 * 1024

export interface TransactionTellingParts {
  readonly connection: FleetConnection
  readonly names: FleetNames
  readonly self: MemberId
  readonly chain: Pick<FleetChainService, 'hear'>
  /** Members that are present. */
  present(): readonly MemberId[]
  /** Batches of a member were left out: its pool is to be compared. */
  onMissed(member: MemberId): void
  count(name: string, by?: number): void
}

/** Tells transactions that are durable here to others, and hears theirs (fleet.md §5). */
export class TransactionTelling {
  readonly #parts: TransactionTellingParts
  readonly #confirmations = new Confirmations()
  #number = 0
  #queue: { readonly bytes: Buffer; readonly from: MemberId; readonly number: number }[] = []
  #queuedBytes = 0
  #hearing = 0

  constructor(parts: TransactionTellingParts) {
    this.#parts = parts
  }

  /** Resolves when all present members have admitted or refused them. */
  async tell(transactions: readonly Buffer[]): Promise<void> {
    const { connection, names, self, present, count } = this.#parts
    const members = present()
    // Members that are not present hear them as well: they are compared with when they come, not when they catch up.
    if (!connection.isConnected) return
    const waits = batchesOf(transactions).map((batch) => {
      this.#number = (this.#number + 1) % 2 ** 32
      const number = this.#number
      connection.nats.publish(names.transactions, encodeBatch({ from: self, number, transactions: batch }))
      count('toldTransactions', batch.length)
      return this.#confirmations.wait(number, members)
    })
    await Promise.all(waits)
  }

  /** A batch of another member. @throws RangeError when it does not parse */
  heard(bytes: Buffer): void {
    const { from, number } = decodeBatch(bytes)
    if (from === this.#parts.self) return
    if (this.#queuedBytes + bytes.length > MAX_HEARD_BYTES) {
      this.#parts.count('missedTransactions')
      this.#parts.onMissed(from)
      return
    }
    this.#queue.push({ bytes, from, number })
    this.#queuedBytes += bytes.length
    this.#hear()
  }

  /** A confirmation of another member. @throws RangeError when it does not parse */
  confirmed(bytes: Buffer): void {
    const { from, number } = decodeConfirmation(bytes)
    this.#confirmations.confirmed(from, number)
  }

  /** The set of present members has changed. */
  presentChanged(): void {
    this.#confirmations.keepOnly(new Set(this.#parts.present()))
  }

  #hear(): void {
    const { chain, connection, names, self, count, onMissed } = this.#parts
    while (this.#hearing < MAX_HEARING) {
      const next = this.#queue.shift()
      if (next === undefined) return
      const { bytes, from, number } = next
      this.#queuedBytes -= bytes.length
      this.#hearing += 1
      const { transactions } = decodeBatch(bytes)
      chain
        .hear(transactions)
        .then(
          () => {
            count('heardTransactions', transactions.length)
            if (connection.isConnected)
              connection.nats.publish(names.confirmed(from), encodeConfirmation(self, number))
          },
          () => onMissed(from),
        )
        .finally(() => {
          this.#hearing -= 1
          this.#hear()
        })
    }
  }
}
