import type { Scheduler } from '../../src/p2p/peers/scheduler.ts'

/** Time that passes when a test says so. */
export class VirtualTime implements Scheduler {
  #now: number
  #timers: { readonly at: number; readonly call: () => void }[] = []

  /** @param start milliseconds */
  constructor(start = 1_700_000_000_000) {
    this.#now = start
  }

  /** Bound, because parts of it are handed around. */
  readonly now = (): number => this.#now

  readonly after = (milliseconds: number, call: () => void): (() => void) => {
    const timer = { at: this.#now + milliseconds, call }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Lets time pass; what falls due is called in its order, and promises go on between. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    await settled()
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.#timers = this.#timers.filter((timer) => timer !== due)
      this.#now = Math.max(this.#now, due.at)
      due.call()
      await settled()
    }
    this.#now = end
  }

  /** Timers that wait. */
  get waiting(): number {
    return this.#timers.length
  }
}

/** Everything that waits for promises alone has gone on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
