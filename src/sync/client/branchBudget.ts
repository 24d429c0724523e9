import { networkGroup } from '../../p2p/peers/networkGroup.ts'

/** Milliseconds after which what was spent is given back. */
const PERIOD = 24 * 60 * 60 * 1000
/** Blocks of addresses that are remembered. */
const MOST_GROUPS = 1024

/** How much may be spent in a period. */
export interface BranchBudgetLimits {
  readonly sideBytesPerGroup: number
  readonly sideBytes: number
}

interface Account {
  bytes: number
  /** Branches that were offered as heavier than they are. */
  light: number
}

/**
 * Bounds what branches beside the chain cost: bytes of blocks that were stored and did not become best, for each
 * block of addresses that offered them and in sum, and how often one offered a branch that weighs less than it said.
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

  /** Whether blocks of a peer may still be stored beside the chain. */
  allows(address: string, bytes: number): boolean {
    this.#turnOver()
    const own = this.#accounts.get(networkGroup(address))?.bytes ?? 0
    return own + bytes <= this.#limits.sideBytesPerGroup && this.#spent + bytes <= this.#limits.sideBytes
  }

  /** Bytes were stored beside the chain; a negative count gives back what became part of the chain. */
  charge(address: string, bytes: number): void {
    this.#turnOver()
    const account = this.#account(address)
    const change = Math.max(bytes, -account.bytes)
    account.bytes += change
    this.#spent += change
  }

  /** A branch weighed less than was said. @returns how often that happened with these addresses in the period */
  light(address: string): number {
    this.#turnOver()
    const account = this.#account(address)
    account.light += 1
    return account.light
  }

  #account(address: string): Account {
    const group = networkGroup(address)
    const account = this.#accounts.get(group) ?? { bytes: 0, light: 0 }
    // The one that was used last is the youngest; a forgotten account stays counted in the sum.
    this.#accounts.delete(group)
    this.#accounts.set(group, account)
    const oldest = this.#accounts.keys().next()
    if (this.#accounts.size > MOST_GROUPS && !oldest.done) this.#accounts.delete(oldest.value)
    return account
  }

  #turnOver(): void {
    if (this.#now() - this.#began < PERIOD) return
    this.#began = this.#now()
    this.#spent = 0
    this.#accounts.clear()
  }
}
