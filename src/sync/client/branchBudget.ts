import { networkGroup } from '../../p2p/peers/networkGroup.ts'

/** Period after which the budget is restored, milliseconds. */
const PERIOD = 24 * 60 * 60 * 1000
/** Most tracked subnets. */
const MAX_GROUPS = 1024

/** Budget of a period. */
export interface BranchBudgetLimits {
  readonly sideBytesPerGroup: number
  readonly sideBytes: number
}

interface Account {
  bytes: number
  /** Branches that turned out lighter than announced. */
  light: number
}

/**
 * Bounds the cost of side branches: bytes of stored blocks that did not become the best, per subnet that
 * offered them and in total, and the number of branches that a subnet announced as heavier than they were.
 */
export class BranchBudget {
  readonly #limits: BranchBudgetLimits
  readonly #now: () => number
  readonly #accounts = new Map<string, Account>()
  #spent = 0
  #began: number

  /** @param now milliseconds, steady */
  constructor(limits: BranchBudgetLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
    this.#began = now()
  }

  /** True when side blocks of a peer may still be stored. */
  allows(address: string, bytes: number): boolean {
    this.#turnOver()
    const own = this.#accounts.get(networkGroup(address))?.bytes ?? 0
    return own + bytes <= this.#limits.sideBytesPerGroup && this.#spent + bytes <= this.#limits.sideBytes
  }

  /** Charges bytes of stored side blocks; a negative count refunds blocks that became canonical. */
  charge(address: string, bytes: number): void {
    this.#turnOver()
    const account = this.#account(address)
    const change = Math.max(bytes, -account.bytes)
    account.bytes += change
    this.#spent += change
  }

  /**
   * Records a branch that was lighter than announced. @returns how often that happened with these addresses
   * in the period
   */
  light(address: string): number {
    this.#turnOver()
    const account = this.#account(address)
    account.light += 1
    return account.light
  }

  #account(address: string): Account {
    const group = networkGroup(address)
    const account = this.#accounts.get(group) ?? { bytes: 0, light: 0 }
    // Ordered by last use; an evicted account still counts in the total.
    this.#accounts.delete(group)
    this.#accounts.set(group, account)
    const oldest = this.#accounts.keys().next()
    if (this.#accounts.size > MAX_GROUPS && !oldest.done) this.#accounts.delete(oldest.value)
    return account
  }

  #turnOver(): void {
    if (this.#now() - this.#began < PERIOD) return
    this.#began = this.#now()
    this.#spent = 0
    this.#accounts.clear()
  }
}
