import type { MemberId } from '../member.ts'
import type { FleetPart, FleetPartContext } from '../part.ts'
import { batchesOf, decodeBatch, encodeBatch } from './batch.ts'
import { Confirmations } from './confirmations.ts'
import { PoolExchange } from './poolExchange.ts'

/** Bytes of batches of others that the chain thread has at the same time: more are left out. */
const MAX_RECEIVING_BYTES = 4 * 1024 * 1024

/** Announces transactions that are durable here to others, and receives theirs (fleet.md §5). */
export class TransactionAnnouncer implements FleetPart {
  readonly #context: FleetPartContext
  readonly #exchange: PoolExchange
  readonly #confirmations = new Confirmations()
  #number = 0
  #receiving = 0

  constructor(context: FleetPartContext) {
    this.#context = context
    this.#exchange = new PoolExchange(context)
    const { names, self, subscribe } = context
    subscribe(names.subject('transactions'), (data) => this.#received(data))
    subscribe(names.subject(`confirmed.${self}`), (data) => {
      const { from, number } = decodeBatch(data)
      this.#confirmations.confirmed(from, number)
    })
  }

  /** Resolves when all present members have admitted or refused them. */
  async announce(transactions: readonly Buffer[]): Promise<void> {
    const { nats, names, self, isConnected, others, count } = this.#context
    // Members that are not present receive them as well: they are compared with when they come, not when they catch up.
    if (!isConnected()) return
    const members = others()
    const waits = batchesOf(transactions).map((batch) => {
      this.#number = (this.#number + 1) % 2 ** 32
      const number = this.#number
      nats.publish(names.subject('transactions'), encodeBatch({ from: self, number, transactions: batch }))
      count('reportedTransactions', batch.length)
      return this.#confirmations.wait(number, members)
    })
    await Promise.all(waits)
  }

  presentChanged(): void {
    this.#confirmations.keepOnly(new Set(this.#context.others()))
  }

  reconnected(): void {
    for (const member of this.#context.others()) this.compare(member)
  }

  /** Fetches what a member has and this one lacks: it appears for the first time or again, or batches were left out. */
  compare(member: MemberId): void {
    this.#exchange.compare(member)
  }

  async stop(): Promise<void> {
    this.#exchange.close()
  }

  /** A batch of another member. @throws FleetError, RlpError when it does not parse */
  #received(data: Buffer): void {
    const { nats, names, self, chain, isConnected, count } = this.#context
    const { from, number, transactions } = decodeBatch(data)
    if (from === self || !isConnected()) return
    if (this.#receiving + data.length > MAX_RECEIVING_BYTES) {
      count('missedTransactions')
      this.compare(from)
      return
    }
    const confirm = () => {
      count('receivedTransactions', transactions.length)
      const confirmation = encodeBatch({ from: self, number, transactions: [] })
      if (isConnected()) nats.publish(names.subject(`confirmed.${from}`), confirmation)
    }
    this.#receiving += data.length
    chain
      .receive(transactions)
      .then(confirm, () => this.compare(from))
      .finally(() => {
        this.#receiving -= data.length
      })
  }
}
