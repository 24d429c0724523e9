import { acceptsSignature, recoverSendersAside } from '../chain/codec/signature.ts'
import type { Transaction } from '../chain/codec/transaction.ts'
import { parseTransaction } from '../chain/codec/transactionDecoder.ts'
import type { SendOutcome } from '../rpc/context.ts'
import { PoolRefusal } from '../txpool/errors.ts'
import type { PoolChange, SignedTransaction } from '../txpool/interface.ts'

/** Where transactions go. */
export interface SendQueueParams {
  readonly chainId: number
  /** Puts a transaction into the pool. @throws PoolRefusal */
  add(transaction: SignedTransaction): PoolChange
  /** Called after each group: what it did is to be made durable. The answers wait for it. */
  commit(): Promise<void>
}

/** Transactions in one group; more wait for the next, so that blocks and reads of the pool get their turn. */
const MOST_IN_GROUP = 512

interface Waiting {
  readonly encoded: Buffer
  readonly resolve: (outcome: SendOutcome) => void
  readonly reject: (error: unknown) => void
}

/** A group that is in the pool. */
interface OfferedGroup {
  readonly group: readonly Waiting[]
  readonly outcomes: readonly (SendOutcome | Error)[]
}

/**
 * Takes transactions into the pool in groups: those that come while a group is being made durable form the
 * next one. Senders of a group are recovered in one parallel call, and one commit serves all of it, so that
 * many senders at once cost little more than one. Nothing is acknowledged before it is durable. The senders of a
 * group are recovered, and it enters the pool, while the one before it is made durable.
 */
export class SendQueue {
  readonly #params: SendQueueParams
  #waiting: Waiting[] = []
  #running: Promise<void> | null = null
  /** The last group that is made durable; at most one is beside it. */
  #committing: Promise<void> = Promise.resolve()

  constructor(params: SendQueueParams) {
    this.#params = params
  }

  /** Offers the RLP of a transaction. */
  submit(encoded: Buffer): Promise<SendOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ encoded, resolve, reject })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when everything that was submitted is answered. */
  async drained(): Promise<void> {
    await this.#running
    await this.#committing
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // What else has arrived in this turn belongs to the group.
      await new Promise((resolve) => setImmediate(resolve))
      const offered = await this.#offerGroup(this.#waiting.splice(0, MOST_IN_GROUP))
      const before = this.#committing
      this.#committing = this.#commitGroup(offered)
      await before
    }
    this.#running = null
  }

  async #offerGroup(group: readonly Waiting[]): Promise<OfferedGroup> {
    const decoded = group.map(decode)
    const transactions = decoded.filter((item): item is Transaction => !(item instanceof Error))
    try {
      const senders = await recoverSendersAside(transactions)
      const senderOf = new Map(transactions.map((transaction, index) => [transaction, senders[index]]))
      const outcomes = decoded.map((item) =>
        item instanceof Error ? item : this.#offer(item, senderOf.get(item) ?? null),
      )
      return { group, outcomes }
    } catch (error) {
      return { group, outcomes: group.map(() => toError(error)) }
    }
  }

  async #commitGroup({ group, outcomes }: OfferedGroup): Promise<void> {
    try {
      await this.#params.commit()
    } catch (error) {
      for (const { reject } of group) reject(error)
      return
    }
    group.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index]
      if (outcome === undefined || outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    })
  }

  #offer(transaction: Transaction, sender: Buffer | null): SendOutcome | Error {
    if (sender === null || !acceptsSignature(transaction, this.#params.chainId)) {
      return { status: 'refused', reason: "the sender account doesn't exist" }
    }
    try {
      this.#params.add({ transaction, sender })
      return { status: 'accepted', hash: transaction.hash }
    } catch (error) {
      if (error instanceof PoolRefusal) return { status: 'refused', reason: error.message }
      return toError(error)
    }
  }
}

function decode({ encoded }: Waiting): Transaction | Error {
  try {
    return parseTransaction(encoded)
  } catch (error) {
    return toError(error)
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
