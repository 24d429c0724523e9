import { StateStore } from '../../src/native/stateStore.ts'
import { ChainEnvironment } from '../../src/storage/chainEnvironment.ts'

/** Kills this process when it has reached a point so many times, counted from when it is armed. */
export class DeathAt {
  isArmed = false
  readonly #point: string
  #left: number

  constructor(point: string, nth: number) {
    this.#point = point
    this.#left = nth
  }

  reached(point: string): void {
    if (!this.isArmed || point !== this.#point) return
    this.#left -= 1
    if (this.#left === 0) process.kill(process.pid, 'SIGKILL')
  }
}

/** Has the commits of both stores of this process be points: `states` and `chain`, each behind the commit. */
export function dieAtCommits(death: DeathAt): void {
  const { commit } = StateStore.prototype
  StateStore.prototype.commit = function (this: StateStore) {
    commit.call(this)
    death.reached('states')
  }
  const { transaction } = ChainEnvironment.prototype
  ChainEnvironment.prototype.transaction = function <T>(
    this: ChainEnvironment,
    write: Parameters<typeof transaction<T>>[0],
  ): T {
    const result = transaction.call(this, write) as T
    death.reached('chain')
    return result
  }
}
