import type { FleetPublisher } from '../../fleet/interface.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { TransactionOutcome } from '../../sync/syncChain.ts'
import type { SendOutcome, SignedTransaction } from '../../txpool/interface.ts'
import { type FleetPool, NOBODYS, signedOf } from './fleetPool.ts'
import { recoverTransactions } from './sendQueue.ts'

/** Transactions that are published together, as in `sendQueue.ts`. */
const MOST_IN_GROUP = 32

/** Transactions, and bytes of them, whose outcome the log has not told yet; more wait. */
const MOST_EXPECTED = 512
const MOST_EXPECTED_BYTES = 16 * 1024 * 1024

/** Milliseconds for which the outcome of a published transaction is waited for. */
const LONGEST_WAIT = 10_000

export interface FleetSendsParams {
  readonly chainId: number
  readonly pool: FleetPool
  /** Sequence of the last entry of the log that the pool has read. */
  lastSequence(): number
  /** Resolves when what the pool has is durable, and all members have it. */
  settled(): Promise<void>
  /** {@link LONGEST_WAIT} unless given. */
  readonly longestWait?: number
}

interface Waiting {
  readonly encoded: Buffer
  /** When it came, milliseconds of `performance.now`. */
  readonly at: number
  readonly resolve: (outcome: SendOutcome | Promise<SendOutcome>) => void
  readonly reject: (error: unknown) => void
}

/** A transaction that goes to the log, or is there and was not read from it yet. */
interface Expected {
  readonly signed: SignedTransaction
  readonly waiting: Waiting[]
}

/**
 * Publishes transactions of clients and of peers to the log of a fleet (fleet.md §4), in groups and in the order in
 * which they came. What the pool of this member refuses, or has, is not published. The others are
 * answered when their outcome is read from the log, is durable, and all members have read it.
 */
export class FleetSends {
  readonly #params: FleetSendsParams
  #publisher: FleetPublisher | null = null
  #queue: Waiting[] = []
  #running: Promise<void> | null = null
  readonly #expected = new Map<string, Expected>()
  #expectedBytes = 0
  #roomWaiters: (() => void)[] = []

  constructor(params: FleetSendsParams) {
    this.#params = params
  }

  /** Where transactions are published; null when there is nobody who does it. */
  publishWith(publisher: FleetPublisher | null): void {
    this.#publisher = publisher
  }

  /** Offers the RLP of a transaction of a client. @throws RpcError `fleetAway` */
  submit(encoded: Buffer): Promise<SendOutcome> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ encoded, at: performance.now(), resolve, reject })
      this.#running ??= this.#run()
    })
  }

  /**
   * Offers transactions of peers; waits for nothing but the log, as blocks of peers come behind them.
   * @returns one outcome each: one that went to the log is `added`, one that there is no room for is `refused`
   */
  async relay(transactions: readonly (SignedTransaction | null)[]): Promise<TransactionOutcome[]> {
    const added: Expected[] = []
    const outcomes = transactions.map((signed): TransactionOutcome => {
      if (signed === null) return 'invalid'
      const outcome = this.#judgeRelayed(signed)
      if (outcome !== 'added') return outcome
      if (!this.#hasRoom) return 'refused'
      added.push(this.#expect(signed))
      return 'added'
    })
    const groups = Array.from({ length: Math.ceil(added.length / MOST_IN_GROUP) }, (_, index) =>
      added.slice(index * MOST_IN_GROUP, (index + 1) * MOST_IN_GROUP),
    )
    const published = await Promise.all(groups.map((group) => this.#publish(group)))
    const isPublished = published.every((is) => is)
    return outcomes.map((outcome) => (outcome === 'added' && !isPublished ? 'refused' : outcome))
  }

  /** Whom the signature of a transaction names that was sent here; undefined for others. */
  signedHere(hashHex: string): SignedTransaction | undefined {
    return this.#expected.get(hashHex)?.signed
  }

  /** The outcome of an entry of the log is durable, and all members have it. */
  settle(hashHex: string, outcome: SendOutcome): void {
    for (const { resolve } of this.#forget(hashHex)) resolve(outcome)
  }

  /** The same of one that could not be made durable, or whose outcome does not come. */
  fail(hashHex: string, error: unknown): void {
    for (const { reject } of this.#forget(hashHex)) reject(error)
  }

  /** Answers what is left. */
  async close(): Promise<void> {
    this.#publisher = null
    for (const hashHex of [...this.#expected.keys()]) this.fail(hashHex, unknownOutcome())
    await this.#running
  }

  async #run(): Promise<void> {
    // What else has arrived in this turn belongs to the group.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#queue.length > 0) {
      await this.#room()
      const group = this.#queue.splice(0, MOST_IN_GROUP).filter((waiting) => !this.#isTooLate(waiting))
      const recovered = await recoverTransactions(group.map(({ encoded }) => encoded))
      const expected = new Set<Expected>()
      group.forEach((waiting, index) => {
        const item = recovered[index]
        const signed = signedOf(item, this.#params.chainId)
        if (signed !== null) this.#judge(signed, waiting, expected)
        else if (item === undefined || item instanceof Error) waiting.reject(item)
        else waiting.resolve(NOBODYS)
      })
      // The next group is recovered meanwhile.
      if (expected.size > 0) void this.#publish([...expected])
    }
    this.#running = null
  }

  /** Refuses what waited so long behind others that nobody waits for it any more. */
  #isTooLate({ at, reject }: Waiting): boolean {
    if (performance.now() - at <= (this.#params.longestWait ?? LONGEST_WAIT)) return false
    reject(new RpcError('fleetAway', 'the log of the fleet takes no more: send the transaction again'))
    return true
  }

  #judge(signed: SignedTransaction, waiting: Waiting, expected: Set<Expected>): void {
    const { pool, settled } = this.#params
    try {
      const known = pool.known(signed.transaction)
      if (known !== null) {
        waiting.resolve(settled().then(() => known))
        return
      }
      const sent = this.#expected.get(signed.transaction.hashHex)
      const refused = sent === undefined ? pool.refusal(signed) : null
      if (refused !== null) {
        waiting.resolve({ status: 'refused', reason: refused.message, stats: refused.stats })
        return
      }
      const item = sent ?? this.#expect(signed)
      item.waiting.push(waiting)
      if (sent === undefined) expected.add(item)
    } catch (error) {
      waiting.reject(error)
    }
  }

  #judgeRelayed(signed: SignedTransaction): TransactionOutcome {
    const { pool } = this.#params
    const { transaction } = signed
    const outcome = this.#expected.has(transaction.hashHex) ? 'known' : pool.known(transaction)
    if (outcome !== null) return 'known'
    return pool.refusal(signed) === null ? 'added' : 'refused'
  }

  #expect(signed: SignedTransaction): Expected {
    const { hashHex, encoded } = signed.transaction
    const known = this.#expected.get(hashHex)
    if (known !== undefined) return known
    const item = { signed, waiting: [] }
    this.#expected.set(hashHex, item)
    this.#expectedBytes += encoded.length
    return item
  }

  #forget(hashHex: string): readonly Waiting[] {
    const item = this.#expected.get(hashHex)
    if (item === undefined) return []
    this.#expected.delete(hashHex)
    this.#expectedBytes -= item.signed.transaction.encoded.length
    if (this.#hasRoom) for (const resolve of this.#roomWaiters.splice(0)) resolve()
    return item.waiting
  }

  get #hasRoom(): boolean {
    return this.#expected.size < MOST_EXPECTED && this.#expectedBytes < MOST_EXPECTED_BYTES
  }

  /** Resolves when another group may be published. */
  async #room(): Promise<void> {
    while (!this.#hasRoom) {
      await new Promise<void>((resolve) => {
        this.#roomWaiters.push(resolve)
      })
    }
  }

  /** @returns whether the log has them */
  async #publish(group: readonly Expected[]): Promise<boolean> {
    try {
      const { pool, lastSequence } = this.#params
      if (this.#publisher === null) throw new RpcError('fleetAway')
      const encoded = group.map(({ signed }) => signed.transaction.encoded)
      // An entry of before says nothing of now: the stream must not take the new one for its repetition.
      const after = group.map(({ signed }) =>
        pool.outcomeOf(signed.transaction.hashHex) === undefined ? null : lastSequence(),
      )
      const published = this.#publisher.publishTransactions(encoded, after)
      const sequences = await Promise.race([published, this.#giveUpLate(group)])
      if (sequences === null) return false
      for (const [index, item] of group.entries()) this.#lookBack(item, sequences[index])
      return true
    } catch (error) {
      const reason =
        error instanceof RpcError ? error : new RpcError('fleetAway', undefined, { cause: error })
      for (const item of group) this.#give(item, reason)
      return false
    }
  }

  /** Resolves when outcomes that are not there by then are waited for no more. */
  #giveUpLate(group: readonly Expected[]): Promise<null> {
    const { longestWait = LONGEST_WAIT } = this.#params
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        for (const item of group) this.#give(item, unknownOutcome())
        resolve(null)
      }, longestWait)
      timer.unref()
    })
  }

  /** One that the log had already may have been read before it was expected. */
  #lookBack(item: Expected, sequence: number | undefined): void {
    const { pool, lastSequence, settled } = this.#params
    if (sequence === undefined || sequence > lastSequence()) return
    const { transaction } = item.signed
    if (this.#expected.get(transaction.hashHex) !== item) return
    const known = pool.known(transaction) ?? pool.outcomeOf(transaction.hashHex) ?? null
    if (known === null) this.#give(item, unknownOutcome())
    else
      settled().then(
        () => this.settle(transaction.hashHex, known),
        (error: unknown) => this.#give(item, error),
      )
  }

  /** Gives up unless it has its outcome. */
  #give(item: Expected, error: unknown): void {
    const { hashHex } = item.signed.transaction
    if (this.#expected.get(hashHex) === item) this.fail(hashHex, error)
  }
}

/** What whoever sent a transaction is told when its outcome does not come. */
export function unknownOutcome(): RpcError {
  return new RpcError(
    'fleetAway',
    'the fleet has not told yet what became of the transaction: send it again, to whichever node',
  )
}
