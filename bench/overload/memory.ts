import { residentMiB } from '../rpc/processStats.ts'

const PERIOD_MS = 500

/** One look at the memory of a process. */
export interface MemorySample {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly mebibytes: number
}

/** Looks at the resident memory of a process twice a second until it is stopped. */
export class MemoryWatch {
  readonly samples: MemorySample[] = []
  readonly #timer: NodeJS.Timeout

  constructor(pid: number) {
    const look = () => this.samples.push({ at: Date.now(), mebibytes: residentMiB(pid) })
    look()
    this.#timer = setInterval(look, PERIOD_MS)
  }

  /** The most memory between two times, and the last before the second. */
  between(from: number, to: number): { readonly most: number; readonly last: number } {
    const found = this.samples.filter(({ at }) => at >= from && at <= to).map(({ mebibytes }) => mebibytes)
    return { most: Math.max(0, ...found), last: found.at(-1) ?? 0 }
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
