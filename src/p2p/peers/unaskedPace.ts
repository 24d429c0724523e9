import { Pace, type PaceRate } from '../connection/pace.ts'
import type { Scheduler } from './scheduler.ts'

const MIB = 1024 * 1024

/** Messages that nobody asked for: more than a node sends that follows the chain or fetches it in ranges. */
const MESSAGES: PaceRate = { perSecond: 500, burst: 2000 }
/**
 * Of those that are dropped because the minute is spent: the reference sends no more in a second (p2p.md §4 Limits).
 */
const EXCESS: PaceRate = { perSecond: 100, burst: 100 }
const BYTES: PaceRate = { perSecond: 2 * MIB, burst: 4 * MIB }

/**
 * How fast a peer is read that sends what nobody asked for. Decrypting costs time also where a message is dropped, so
 * that dropping alone would leave the thread to whoever sends most; what is not read waits at the sender.
 */
export class UnaskedPace {
  readonly #scheduler: Scheduler
  readonly #messages: Pace
  readonly #excess: Pace
  readonly #bytes: Pace

  /** @param factor of the rates */
  constructor(scheduler: Scheduler, factor = 1) {
    const now = scheduler.now()
    const times = ({ perSecond, burst }: PaceRate) => ({
      perSecond: factor * perSecond,
      burst: factor * burst,
    })
    this.#scheduler = scheduler
    this.#messages = new Pace(times(MESSAGES), now)
    this.#excess = new Pace(times(EXCESS), now)
    this.#bytes = new Pace(times(BYTES), now)
  }

  /**
   * Counts a message.
   * @param isExcess whether it was dropped
   * @returns what the connection waits for before it reads on; undefined when it need not wait
   */
  message(isExcess: boolean): Promise<void> | undefined {
    return this.#after((isExcess ? this.#excess : this.#messages).take(1, this.#scheduler.now()))
  }

  /** Counts bytes that came while no answer was awaited. @returns as {@link message} */
  bytes(count: number): Promise<void> | undefined {
    return this.#after(this.#bytes.take(count, this.#scheduler.now()))
  }

  #after(wait: number): Promise<void> | undefined {
    if (wait === 0) return undefined
    return new Promise((resolve) => void this.#scheduler.after(wait, resolve))
  }
}
