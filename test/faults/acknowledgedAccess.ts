import type { AccessStore } from '../../src/storage/access/accessStore.ts'

/** What an access store must have. */
export interface ExpectedAccess {
  /** Ids of keys that were made. */
  readonly keys: readonly string[]
  /** Requests of keys that a node has shown. */
  readonly requests: ReadonlyMap<string, number>
}

/** A node that shows less usage than it must. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault'
}

const LAST_DAY = 0xffff_fffe

/**
 * Keys and usage that were acknowledged: a key when the command that made it has ended, usage when a node has shown
 * it. What was used since is counted in memory, and lost with the process.
 */
export class AcknowledgedAccess {
  readonly keys = new Set<string>()
  readonly #requests = new Map<string, number>()

  /** A node has shown so many requests of a key. */
  shown(id: string, requests: number): void {
    const before = this.#requests.get(id) ?? 0
    if (requests < before)
      throw new UsageFault(`key ${id}: ${requests} requests are shown, ${before} were before`)
    this.#requests.set(id, requests)
  }

  /** Requests of all keys that were shown. */
  get requests(): number {
    return [...this.#requests.values()].reduce((sum, requests) => sum + requests, 0)
  }

  /** Everything so far. */
  expected(): ExpectedAccess {
    return { keys: [...this.keys], requests: new Map(this.#requests) }
  }
}

/** What of it a store does not have. */
export function accessFaults(store: AccessStore, { keys, requests }: ExpectedAccess): string[] {
  const stored = new Set(store.keys().map(({ id }) => id))
  const faults = keys.filter((id) => !stored.has(id)).map((id) => `key ${id} is gone`)
  for (const [id, shown] of requests) {
    const found = requestsOf(store, id)
    if (found < shown) faults.push(`key ${id} has ${found} requests, ${shown} were shown`)
  }
  return faults
}

/** Requests of a key on all days, those over a limit left out. */
function requestsOf(store: AccessStore, id: string): number {
  let requests = 0
  for (const { methods } of store.usage(id, 0, LAST_DAY)) {
    for (const { count } of methods.values()) requests += count
  }
  return requests
}
