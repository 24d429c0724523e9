import type { Peer } from '../../p2p/peer.ts'

/** Time for which a claim that was not kept counts, milliseconds. */
const MEMORY = 3_600_000
/** Most node ids and addresses that are counted; the oldest is evicted first. */
const MAX_COUNTED = 2048

/** Counts the claims of peers that were not kept, by node id and by address: either is easily changed alone. */
export class UnkeptClaims {
  readonly #now: () => number
  readonly #counts = new Map<string, { count: number; at: number }>()

  /** @param now milliseconds, steady */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Records one. @returns how many there were of its id or its address in the last hour */
  record({ id, address }: Peer): number {
    return Math.max(this.#count(id), this.#count(address))
  }

  #count(key: string): number {
    const at = this.#now()
    const known = this.#counts.get(key)
    const count = known !== undefined && at - known.at <= MEMORY ? known.count + 1 : 1
    this.#counts.delete(key)
    this.#counts.set(key, { count, at })
    const oldest = this.#counts.keys().next()
    if (this.#counts.size > MAX_COUNTED && !oldest.done) this.#counts.delete(oldest.value)
    return count
  }
}
