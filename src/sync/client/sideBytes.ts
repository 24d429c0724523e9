import type { BranchBudget } from './branchBudget.ts'

/** Bytes of a branch's blocks until it becomes the best, charged to the peer that announced it. */
export class SideBytes {
  readonly #budget: BranchBudget
  readonly #address: string
  #bytes = 0

  constructor(budget: BranchBudget, address: string) {
    this.#budget = budget
    this.#address = address
  }

  /** True when there are side blocks. */
  get isAny(): boolean {
    return this.#bytes > 0
  }

  /** True when they exceed their share of the disk. */
  get isTooMany(): boolean {
    return this.isAny && !this.#budget.allows(this.#address, 0)
  }

  /**
   * Records stored blocks.
   * @param bytes of side blocks since the last block that became the best
   * @param becameBest whether one became the best, and with it all below
   */
  record(bytes: number, becameBest: boolean): void {
    if (becameBest) {
      this.#budget.charge(this.#address, -this.#bytes)
      this.#bytes = 0
    }
    this.#budget.charge(this.#address, bytes)
    this.#bytes += bytes
  }
}
