import { type ReadTransaction, readTransactions } from '../../chain/codec/readTransactions.ts'
import type { SignedTransaction } from '../../chain/codec/transaction.ts'
import { PoolRefusal } from '../../txpool/errors.ts'
import type { PoolChange, SendOutcome } from '../../txpool/interface.ts'

/** Receivers of transactions. */
export interface SendQueueParams {
  readonly chainId: number
  /** Puts a transaction into the pool. @throws PoolRefusal */
  add(transaction: SignedTransaction): PoolChange
  /** Called after groups, one call at a time: what they did is to be made durable. The answers wait for it. */
  commit(): Promise<void>
  /** Gives durable transactions to others. Resolves when they may be acknowledged; null for at once. */
  share(transactions: readonly Buffer[]): Promise<void> | null
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

/** A transaction that was sent. */
interface Send {
  readonly encoded: Buffer
  /** Offered to the pool with this outcome, or with the error that it ends with; null before. */
  outcome: SendOutcome | Error | null
  readonly resolve: (outcome: SendOutcome) => void
  readonly reject: (error: unknown) => void
}

/** Sends of a group, whose senders are known. */
interface ReadGroup {
  readonly group: readonly Send[]
  readonly read: readonly ReadTransaction[]
}

/**
 * Takes transactions into the pool in groups, in the order in which they came. Senders of a group are recovered in
 * one parallel call, beside the thread, while the group before enters the pool; all that entered it while a commit
 * runs is made durable by the next one. So many senders at once cost little more than one. Nothing is acknowledged
 * before it is durable.
 */
export class SendQueue {
  readonly #params: SendQueueParams
  #waiting: Send[] = []
  #running: Promise<void> | null = null
  /** Sends that the next commit is for. */
  #offered: Send[] = []
  #uncommitted = 0
  #committing: Promise<void> | null = null
  /** The sends that are durable and not acknowledged yet. */
  readonly #sharing = new Set<Promise<void>>()

  constructor(params: SendQueueParams) {
    this.#params = params
  }

  /** Offers the RLP of a transaction. */
  submit(encoded: Buffer): Promise<SendOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ encoded, outcome: null, resolve, reject })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when everything that was submitted is answered. */
  async drained(): Promise<void> {
    await this.#running
    await this.#committing
    await Promise.all(this.#sharing)
  }

  async #run(): Promise<void> {
    // What else has arrived in this turn belongs to the group.
    await new Promise((resolve) => setImmediate(resolve))
    for (let next = this.#readGroup(); next !== null; next ??= this.#readGroup()) {
      const { group, read } = await next
      next = this.#readGroup()
      this.#offerGroup(group, read)
      if (this.#uncommitted >= MAX_UNCOMMITTED) await this.#committing
    }
    this.#running = null
  }

  /** Begins to read what waits; null when nothing does. */
  #readGroup(): Promise<ReadGroup> | null {
    if (this.#waiting.length === 0) return null
    const most = this.#params.makesBlocks() ? MAX_UNCOMMITTED : MAX_IN_GROUP
    const group = this.#waiting.splice(0, most)
    const encoded = group.map((send) => send.encoded)
    return readTransactions(encoded, this.#params.chainId).then((read) => ({ group, read }))
  }

  #offerGroup(group: readonly Send[], read: readonly ReadTransaction[]): void {
    group.forEach((send, index) => {
      send.outcome = this.#offer(read[index] ?? null)
    })
    this.#offered.push(...group)
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

  async #commit(offered: readonly Send[]): Promise<void> {
    let failure: { readonly cause: unknown } | null = null
    try {
      await this.#params.commit()
    } catch (cause) {
      failure = { cause }
    }
    this.#uncommitted -= offered.length
    const shared = failure === null ? this.#params.share(acceptedOf(offered)) : null
    if (shared === null) answer(offered, failure)
    else void shared.then(() => answer(offered, null)).finally(() => this.#sharing.delete(shared))
    if (shared !== null) this.#sharing.add(shared)
  }

  #offer(read: ReadTransaction): SendOutcome | Error {
    if (read instanceof Error) return read
    if (read === null) return { status: 'refused', reason: "the sender account doesn't exist", stats: {} }
    try {
      this.#params.add(read)
      return { status: 'accepted', hash: read.transaction.hash }
    } catch (error) {
      if (error instanceof PoolRefusal) {
        return { status: 'refused', reason: error.message, stats: error.stats }
      }
      return toError(error)
    }
  }
}

function acceptedOf(offered: readonly Send[]): Buffer[] {
  return offered.flatMap(({ encoded, outcome }) =>
    outcome === null || outcome instanceof Error || outcome.status !== 'accepted' ? [] : [encoded],
  )
}

function answer(offered: readonly Send[], failure: { readonly cause: unknown } | null): void {
  for (const { outcome, resolve, reject } of offered) {
    if (failure !== null) reject(failure.cause)
    else if (outcome === null || outcome instanceof Error) reject(outcome)
    else resolve(outcome)
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
