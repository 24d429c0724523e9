import { acceptsSignature } from '../../chain/codec/signature.ts'
import type { Transaction } from '../../chain/codec/transaction.ts'
import type { AdmissionState, PoolEntry } from '../../fleet/interface.ts'
import { PoolRefusal } from '../../txpool/errors.ts'
import type {
  Arrival,
  PoolChange,
  PooledTransaction,
  SendOutcome,
  SignedTransaction,
} from '../../txpool/interface.ts'
import type { TransactionQuota } from '../../txpool/quota.ts'
import type { TransactionPool } from '../../txpool/transactionPool.ts'
import type { LogClock } from './logClock.ts'
import { SendOutcomes } from './sendOutcomes.ts'
import type { RecoveredTransaction } from './sendQueue.ts'

/** Milliseconds of the log's time between two looks for outdated transactions. */
const OUTDATED_CHECK = 10_000

/** address 20 ∥ virtual gas 8 ∥ time of the last charge 8, both as floating-point numbers. */
const QUOTA_LENGTH = 36
const ADDRESS_LENGTH = 20

export interface FleetPoolParams {
  readonly chainId: number
  readonly pool: TransactionPool
  readonly quota: TransactionQuota | null
  readonly clock: LogClock
  /** Whether the canonical chain has a transaction. */
  isMined(hash: Buffer): boolean
  /** Puts a transaction into the pool and its journal. @throws PoolRefusal */
  add(transaction: SignedTransaction): void
  /** Records what left the pool. */
  note(change: PoolChange): void
  /** Records what entered it otherwise. */
  keep(entry: PooledTransaction): void
  /** The pool is another one. */
  onReplaced(): void
}

/**
 * The pool of a member of a fleet (fleet.md §4): what becomes of an entry of the log follows from the entries and heads
 * before it alone, so that it is the same for every member.
 */
export class FleetPool {
  readonly #params: FleetPoolParams
  readonly #outcomes = new SendOutcomes()

  constructor(params: FleetPoolParams) {
    this.#params = params
  }

  /** Accepted: the pool or the canonical chain has the transaction. Null when the rules of the pool decide. */
  known({ hash, hashHex }: Pick<Transaction, 'hash' | 'hashHex'>): SendOutcome | null {
    const { pool, isMined } = this.#params
    return pool.get(hashHex) !== undefined || isMined(hash) ? { status: 'accepted', hash } : null
  }

  /** What the newest entry of a transaction came to; undefined for one that the log had not, or long ago. */
  outcomeOf(hashHex: string): SendOutcome | undefined {
    return this.#outcomes.get(hashHex)
  }

  /** What the pool has against a transaction that is new; null when the log decides. */
  refusal({ transaction, sender }: SignedTransaction): PoolRefusal | null {
    const { pool, clock } = this.#params
    return refusalOf(() => pool.check(transaction, sender, clock.estimate()))
  }

  /** Reads an entry of the log. @param time when the log stored it, milliseconds since 1970 */
  admit(recovered: RecoveredTransaction | Error, time: number): SendOutcome {
    this.advance(time)
    if (recovered instanceof Error) return { status: 'refused', reason: recovered.message, stats: {} }
    const { transaction } = recovered
    const outcome = this.known(transaction) ?? this.#offer(recovered)
    this.#outcomes.add(transaction.hashHex, outcome)
    return outcome
  }

  /** The log has come to this time. */
  advance(time: number): void {
    const { clock, pool, note } = this.#params
    const before = clock.last
    clock.advance(time)
    if (before === null || turnOf(before) === turnOf(clock.now())) return
    note({ pending: [], removed: pool.removeOutdated() })
  }

  /** All of the pool as it came, pending ones first. */
  entries(): PoolEntry[] {
    const { pool } = this.#params
    return [...pool.pending(), ...pool.queued()].map(({ transaction, addedAt, addedAtBlock }) => ({
      encoded: transaction.encoded,
      addedAt,
      addedAtBlock,
    }))
  }

  state(): AdmissionState {
    const { clock, quota, pool } = this.#params
    return {
      time: clock.last,
      pending: pool.pendingCount,
      outcomes: this.#outcomes.pack(),
      quotas: quota === null ? NONE : packQuotas(quota),
    }
  }

  /**
   * @param recovered one for each entry
   * @throws RangeError when the state is malformed: nothing is replaced then
   */
  replace(
    entries: readonly PoolEntry[],
    recovered: readonly (RecoveredTransaction | Error)[],
    state: AdmissionState | null,
  ): void {
    const { chainId, pool, quota, clock, note, keep, onReplaced } = this.#params
    const isPending = (index: number) => state !== null && index < state.pending
    const pending: (SignedTransaction & Arrival)[] = []
    const queued: (SignedTransaction & Arrival)[] = []
    entries.forEach(({ addedAt, addedAtBlock }, index) => {
      const signed = signedOf(recovered[index], chainId)
      if (signed !== null) (isPending(index) ? pending : queued).push({ ...signed, addedAt, addedAtBlock })
    })
    if (state === null) {
      note({ pending: [], removed: pool.clear() })
      pool.restore(queued)
    } else {
      const quotas = unpackQuotas(state.quotas)
      this.#outcomes.replace(state.outcomes)
      quota?.replace(quotas)
      if (state.time !== null) clock.advance(state.time)
      note({ pending: [], removed: pool.replace(pending, queued) })
    }
    for (const entry of [...pool.pending(), ...pool.queued()]) keep(entry)
    onReplaced()
  }

  #offer(recovered: RecoveredTransaction): SendOutcome {
    const signed = signedOf(recovered, this.#params.chainId)
    if (signed === null) return NOBODYS
    const refused = refusalOf(() => this.#params.add(signed))
    if (refused === null) return { status: 'accepted', hash: signed.transaction.hash }
    return { status: 'refused', reason: refused.message, stats: refused.stats }
  }
}

/** The outcome of what nobody of this chain signed, as the reference tells it. */
export const NOBODYS: SendOutcome = {
  status: 'refused',
  reason: "the sender account doesn't exist",
  stats: {},
}

/** A transaction that somebody signed for this chain; null for any other. */
export function signedOf(
  recovered: RecoveredTransaction | Error | undefined,
  chainId: number,
): SignedTransaction | null {
  if (recovered === undefined || recovered instanceof Error) return null
  const { transaction, sender } = recovered
  return sender === null || !acceptsSignature(transaction, chainId) ? null : { transaction, sender }
}

const NONE = Buffer.alloc(0)

function refusalOf(action: () => void): PoolRefusal | null {
  try {
    action()
    return null
  } catch (error) {
    if (error instanceof PoolRefusal) return error
    throw error
  }
}

function turnOf(time: number): number {
  return Math.floor(time / OUTDATED_CHECK)
}

function packQuotas(quota: TransactionQuota): Buffer {
  const balances = [...quota.balances()]
  const packed = Buffer.alloc(balances.length * QUOTA_LENGTH)
  balances.forEach(([sender, { available, at }], index) => {
    const start = index * QUOTA_LENGTH
    packed.write(sender, start, 'hex')
    packed.writeDoubleBE(available, start + ADDRESS_LENGTH)
    packed.writeDoubleBE(at, start + ADDRESS_LENGTH + 8)
  })
  return packed
}

function unpackQuotas(packed: Buffer): [string, { available: number; at: number }][] {
  if (packed.length % QUOTA_LENGTH !== 0) throw new RangeError('quotas of accounts are malformed')
  return Array.from({ length: packed.length / QUOTA_LENGTH }, (_, index) => {
    const start = index * QUOTA_LENGTH
    const sender = packed.toString('hex', start, start + ADDRESS_LENGTH)
    const available = packed.readDoubleBE(start + ADDRESS_LENGTH)
    const at = packed.readDoubleBE(start + ADDRESS_LENGTH + 8)
    if (!Number.isFinite(available) || !Number.isFinite(at))
      throw new RangeError('quotas of accounts are malformed')
    return [sender, { available, at }]
  })
}
