/** Multiple of the limit within which a branch must outweigh the head. */
const LIGHT = 2
/** Blocks per second below which another peer's branch is tried. */
const MIN_BLOCKS_PER_SECOND = 1

/** Tracks how long a branch has brought nothing, or too little. */
export class Patience {
  readonly #limit: number
  readonly #now: () => number
  #began: number
  #progressAt: number
  #stretchBegan: number
  #connectedInStretch = 0

  /**
   * @param limit milliseconds
   * @param now milliseconds, steady
   */
  constructor(limit: number, now: () => number) {
    this.#limit = limit
    this.#now = now
    this.#began = now()
    this.#progressAt = this.#began
    this.#stretchBegan = this.#began
  }

  /** Starts to wait for blocks. */
  begin(): void {
    this.#began = this.#now()
    this.#stretchBegan = this.#began
  }

  /** Records progress: headers arrived, or blocks were validated. */
  progressed(): void {
    this.#progressAt = this.#now()
  }

  connected(blocks: number): void {
    this.#connectedInStretch += blocks
  }

  /** True when there was no progress for too long. */
  get isOver(): boolean {
    return this.#now() - this.#progressAt > this.#limit
  }

  /** True when a branch has had enough time to outweigh the head. */
  get isOverForLight(): boolean {
    return this.#now() - this.#began > LIGHT * this.#limit
  }

  /** True when too few blocks were connected in the last period; also begins the next one. */
  endsSlowStretch(): boolean {
    if (this.#now() - this.#stretchBegan <= this.#limit) return false
    const isSlow = this.#connectedInStretch < (MIN_BLOCKS_PER_SECOND * this.#limit) / 1000
    this.#stretchBegan = this.#now()
    this.#connectedInStretch = 0
    return isSlow
  }
}
