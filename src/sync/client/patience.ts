/** Times of patience that a branch may take to outweigh the head. */
const LIGHT = 2
/** Blocks a second below which a branch makes room for another peer's. */
const SLOWEST = 1

/** How long a branch has brought nothing, or too little. */
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

  /** Blocks are waited for from now on. */
  begin(): void {
    this.#began = this.#now()
    this.#stretchBegan = this.#began
  }

  /** Headers came, or the chain judged blocks. */
  progressed(): void {
    this.#progressAt = this.#now()
  }

  connected(blocks: number): void {
    this.#connectedInStretch += blocks
  }

  /** Whether nothing came for too long. */
  get isOver(): boolean {
    return this.#now() - this.#progressAt > this.#limit
  }

  /** Whether a branch had long enough to outweigh the head. */
  get isOverForLight(): boolean {
    return this.#now() - this.#began > LIGHT * this.#limit
  }

  /** Whether a stretch of time is over in which too few blocks were connected; then the next one begins. */
  endsSlowStretch(): boolean {
    if (this.#now() - this.#stretchBegan <= this.#limit) return false
    const isSlow = this.#connectedInStretch < (SLOWEST * this.#limit) / 1000
    this.#stretchBegan = this.#now()
    this.#connectedInStretch = 0
    return isSlow
  }
}
