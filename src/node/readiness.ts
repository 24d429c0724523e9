import { setTimeout as sleep } from 'node:timers/promises'

/** The sources that are looked at before requests are sent to a node. */
export interface ReadinessSources {
  /** Seconds between the time of the head and now. */
  headAge(): number
  /** Seconds after which a head is too old; 0 for never. */
  maxHeadAge(): number
  /** Reason why the stores take no writes; null when they do. */
  storeFault(): string | null
  /** Reason why keys and usage cannot be relied on; null when they can. */
  accessFault(): string | null
  /** Reason why peers make requests wait: synchronisation, or a block that peers insist on and this node refuses. */
  peerReasons(): string[]
  /** Resolves when the store has taken a write. */
  writeProbe(): Promise<void>
  /** Resolves when the workers have answered. */
  poolPing(): Promise<void>
}

/** Tells whether a node can take requests. */
export interface Readiness {
  /** Reasons why it cannot; empty when it can. */
  reasons(): Promise<string[]>
  /** The same without questions to other threads, for what asks often: what lasts, and no age of the head. */
  lasting(): string[]
  /** From now on it cannot: it stops. */
  drain(): void
}

const NO_WRITES = 'the store takes no writes'

/** A probe is made anew when the last is older, milliseconds. */
const FRESH_MILLISECONDS = 2000
/** Whoever asks waits so long for a new probe at most, milliseconds. */
const PATIENCE_MILLISECONDS = 1000
/** A probe without an end for so long has failed, milliseconds: more than the time limit of requests to the workers. */
const LIMIT_MILLISECONDS = 10_000

/** @param now milliseconds */
export function createReadiness(
  sources: ReadinessSources,
  now: () => number = () => performance.now(),
): Readiness {
  const store = new Probe(NO_WRITES, () => sources.writeProbe(), now)
  const pool = new Probe('the workers do not answer', () => sources.poolPing(), now)
  let draining = false
  return {
    reasons: async () => {
      if (draining) return ['the node stops']
      await Promise.race([Promise.all([store.refresh(), pool.refresh()]), sleep(PATIENCE_MILLISECONDS)])
      // It may have changed meanwhile.
      return draining
        ? ['the node stops']
        : [
            ...headReasons(sources),
            ...sources.peerReasons(),
            ...storeReasons(sources, store),
            ...accessReasons(sources),
            ...pool.reasons(),
          ]
    },
    lasting: () => {
      const fault = sources.storeFault()
      const store = fault === null ? [] : [`${NO_WRITES}: ${fault}`]
      return [...sources.peerReasons(), ...store, ...accessReasons(sources)]
    },
    drain: () => {
      draining = true
    },
  }
}

function headReasons({ headAge, maxHeadAge }: ReadinessSources): string[] {
  const most = maxHeadAge()
  const age = Math.floor(headAge())
  return most === 0 || age <= most ? [] : [`the head is ${age} s old, more than ${most} s`]
}

/** Faults of the stores. The writer's report comes before what a probe found: it knows first of space on the disk. */
function storeReasons({ storeFault }: ReadinessSources, probe: Probe): string[] {
  const fault = storeFault()
  return fault === null ? probe.reasons() : [`${NO_WRITES}: ${fault}`]
}

function accessReasons({ accessFault }: ReadinessSources): string[] {
  const fault = accessFault()
  return fault === null ? [] : [`keys and usage: ${fault}`]
}

/** A question with the last answer to it. */
class Probe {
  readonly #failure: string
  readonly #ask: () => Promise<void>
  readonly #now: () => number
  #running: Promise<void> | null = null
  #began = Number.NEGATIVE_INFINITY
  #error: string | null = null

  constructor(failure: string, ask: () => Promise<void>, now: () => number) {
    this.#failure = failure
    this.#ask = ask
    this.#now = now
  }

  /** Resolves when there is an answer that is not old. */
  refresh(): Promise<void> {
    if (this.#running !== null) return this.#running
    if (this.#now() - this.#began < FRESH_MILLISECONDS) return Promise.resolve()
    this.#began = this.#now()
    this.#running = this.#ask().then(
      () => this.#settle(null),
      (error: unknown) => this.#settle(error instanceof Error ? error.message : String(error)),
    )
    return this.#running
  }

  /** Reason why the last answer is not good enough. */
  reasons(): string[] {
    if (this.#running !== null && this.#now() - this.#began > LIMIT_MILLISECONDS) {
      return [`${this.#failure}: nothing for ${Math.floor((this.#now() - this.#began) / 1000)} s`]
    }
    return this.#error === null ? [] : [`${this.#failure}: ${this.#error}`]
  }

  #settle(error: string | null): void {
    this.#running = null
    this.#error = error
  }
}
