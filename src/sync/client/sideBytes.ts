import type { BranchBudget } from './branchBudget.ts'

/** Bytes of a branch's blocks that are beside the chain until it becomes the best, charged to who offers it. */
export class SideBytes {
  readonly #budget: BranchBudget
  readonly #address: string
  #bytes = 0

  constructor(budget: BranchBudget, address: string) {
    this.#budget = budget
    this.#address = address
  }

  /** Whether any are beside the chain. */
  get isAny(): boolean {
    return this.#bytes > 0
  }

  /** Whether they take more of the disk than they may. */
  get isTooMany(): boolean {
    return this.isAny && !this.#budget.allows(this.#address, 0)
  }

  /**
   * Blocks were stored.
   * @param bytes of those beside the chain since the last that became best
   * @param becameBest whether one became best, and with it all below
   */
  note(bytes: number, becameBest: boolean): void {
    if (becameBest) {
      this.#budget.charge(this.#address, -this.#bytes)
      this.#bytes = 0
    }
    this.#budget.charge(this.#address, bytes)
    this.#bytes += bytes
  }
}
