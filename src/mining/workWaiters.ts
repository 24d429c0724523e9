import { MiningError } from './errors.ts'
import type { MiningWork } from './interface.ts'

/** Milliseconds for which a miner waits for work on a new head from the node that builds it. */
const LONGEST_WAIT = 3000
/** Miners that wait: each has a request of its own open. */
const MOST_WAITERS = 10_000

interface Waiter {
  readonly resolve: (work: MiningWork) => void
  readonly reject: (error: MiningError) => void
  readonly timer: NodeJS.Timeout
}

/** Miners that wait for work that another node builds. */
export class WorkWaiters {
  readonly #waiters = new Set<Waiter>()

  /** @throws MiningError `NO_WORK` when none comes in time */
  wait(): Promise<MiningWork> {
    return new Promise((resolve, reject) => {
      if (this.#waiters.size >= MOST_WAITERS) {
        reject(noWork())
        return
      }
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter)
        reject(noWork())
      }, LONGEST_WAIT)
      const waiter = { resolve, reject, timer }
      this.#waiters.add(waiter)
    })
  }

  /** Work came. */
  answer(work: MiningWork): void {
    for (const { resolve } of this.#take()) resolve(work)
  }

  /** Nobody is given work any more. */
  end(): void {
    for (const { reject } of this.#take()) reject(noWork())
  }

  #take(): Waiter[] {
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    for (const { timer } of waiters) clearTimeout(timer)
    return waiters
  }
}

function noWork(): MiningError {
  return new MiningError('NO_WORK', 'the member that builds work has not built any on this head yet')
}
