import { type RecoveredTransaction, readTransactions } from '../../chain/codec/readTransactions.ts'
import { acceptsSignature } from '../../chain/codec/signature.ts'
import type { SignedTransaction } from '../../chain/codec/transaction.ts'
import { PoolRefusal } from '../../txpool/errors.ts'
import type { PoolChange, SendOutcome } from '../../txpool/interface.ts'

/** Where transactions go. */
export interface SendQueueParams {
  readonly chainId: number
  /** Puts a transaction into the pool. @throws PoolRefusal */
  add(transaction: SignedTransaction): PoolChange
  /** Called after groups, one call at a time: what they did is to be made durable. The answers wait for it. */
  commit(): Promise<void>
  /** Resolves when transactions that are durable may be acknowledged; null for at once. */
  told(transactions: readonly Buffer[]): Promise<void> | null
  /** True when a commit makes a block of what entered the pool: few of many transactions then cost less than many. */
  makesBlocks(): boolean
}

/**
 * Transactions in one group. Less than what comes at once under load: while the senders of some are recovered the
 * others enter the pool or are answered. With all in one group each step would wait for the one before.
 */
const MAX_IN_GROUP = 32

/** Transactions in the pool that are not durable yet; more wait, so that a slow disk does not fill the pool. */
const MAX_UNCOMMITTED = 512

interface Waiting {
  readonly encoded: Buffer
  readonly resolve: (outcome: SendOutcome) => void
  readonly reject: (error: unknown) => void
}

/** A group whose senders are known: an error in place of what is no transaction. */
interface RecoveredGroup {
  readonly group: readonly Waiting[]
  readonly signed: readonly (RecoveredTransaction | Error)[]
}

/** A group that is in the pool. */
interface OfferedGroup {
  readonly group: readonly Waiting[]
  readonly outcomes: readonly (SendOutcome | Error)[]
}

/**
 * Takes transactions into the pool in groups, in the order in which they came. Senders of a group are recovered in
 * one parallel call, beside the thread, while the group before enters the pool; all that entered it while a commit
 * runs is made durable by the next one. So many senders at once cost little more than one. Nothing is acknowledged
 * before it is durable.
 */
export class SendQueue {
  readonly #params: SendQueueParams
  #waiting: Waiting[] = []
  #running: Promise<void> | null = null
  /** Groups that the next commit is for. */
  #offered: OfferedGroup[] = []
  #uncommitted = 0
  #committing: Promise<void> | null = null
  /** The sends that are durable and not acknowledged yet. */
  readonly #telling = new Set<Promise<void>>()

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
    await Promise.all(this.#telling)
  }

  async #run(): Promise<void> {
    // What else has arrived in this turn belongs to the group.
    await new Promise((resolve) => setImmediate(resolve))
    for (let next = this.#recoverGroup(); next !== null; next ??= this.#recoverGroup()) {
      const recovered = await next
      next = this.#recoverGroup()
      this.#offerGroup(recovered)
      if (this.#uncommitted >= MAX_UNCOMMITTED) await this.#committing
    }
    this.#running = null
  }

  /** Begins to recover the senders of what waits; null when nothing does. */
  #recoverGroup(): Promise<RecoveredGroup> | null {
    if (this.#waiting.length === 0) return null
    const most = this.#params.makesBlocks() ? MAX_UNCOMMITTED : MAX_IN_GROUP
    return recover(this.#waiting.splice(0, most))
  }

  #offerGroup({ group, signed }: RecoveredGroup): void {
    const outcomes = signed.map((item) => (item instanceof Error ? item : this.#offer(item)))
    this.#offered.push({ group, outcomes })
    this.#uncommitted += group.length
    this.#committing ??= this.#commitOffered()
  }

  async #commitOffered(): Promise<void> {
    while (this.#offered.length > 0) {
      const offered = this.#offered
      this.#offered = []
      await this.#commit(offered)
    }
    this.#committing = null
  }

  async #commit(offered: readonly OfferedGroup[]): Promise<void> {
    let failure: { readonly cause: unknown } | null = null
    try {
      await this.#params.commit()
    } catch (cause) {
      failure = { cause }
    }
    for (const { group } of offered) this.#uncommitted -= group.length
    const told = failure === null ? this.#params.told(acceptedOf(offered)) : null
    if (told === null) answer(offered, failure)
    else void told.then(() => answer(offered, null)).finally(() => this.#telling.delete(told))
    if (told !== null) this.#telling.add(told)
  }

  #offer({ transaction, sender }: RecoveredTransaction): SendOutcome | Error {
    if (sender === null || !acceptsSignature(transaction, this.#params.chainId)) {
      return { status: 'refused', reason: "the sender account doesn't exist", stats: {} }
    }
    try {
      this.#params.add({ transaction, sender })
      return { status: 'accepted', hash: transaction.hash }
    } catch (error) {
      if (error instanceof PoolRefusal) {
        return { status: 'refused', reason: error.message, stats: error.stats }
      }
      return toError(error)
    }
  }
}

function acceptedOf(offered: readonly OfferedGroup[]): Buffer[] {
  return offered.flatMap(({ group, outcomes }) =>
    group.flatMap(({ encoded }, index) => {
      const outcome = outcomes[index]
      return outcome === undefined || outcome instanceof Error || outcome.status !== 'accepted'
        ? []
        : [encoded]
    }),
  )
}

function answer(offered: readonly OfferedGroup[], failure: { readonly cause: unknown } | null): void {
  for (const { group, outcomes } of offered) {
    group.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index]
      if (failure !== null) reject(failure.cause)
      else if (outcome === undefined || outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    })
  }
}

async function recover(group: readonly Waiting[]): Promise<RecoveredGroup> {
  return { group, signed: await readTransactions(group.map(({ encoded }) => encoded)) }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
