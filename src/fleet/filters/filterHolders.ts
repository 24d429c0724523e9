import type { KV } from '@nats-io/kv'
import { FleetError, toFleetError } from '../errors.ts'
import type { MemberId } from '../interface.ts'
import { compareAndSet } from '../nats/compareAndSet.ts'
import { MEMBER_ID } from '../nats/names.ts'

/** Members that took over filters of one number, the newest ones. */
const MOST_HOLDERS = 8
/** Milliseconds for which what the bucket said is taken for granted: filters change hands by a `drain` only. */
const KEPT = 2000
const MOST_KEPT = 4096
/** Milliseconds for one write. */
const TIMEOUT = 2000
const TRIES = 5

/**
 * Which members took over filters that were made under a number (fleet.md §6): key `filters.N` of the bucket `state`,
 * ids with commas between.
 */
export class FilterHolders {
  readonly #bucket: Pick<KV, 'get' | 'put'>
  readonly #now: () => number
  readonly #kept = new Map<number, { readonly holders: readonly MemberId[]; readonly at: number }>()

  /** @param now monotonic milliseconds */
  constructor(bucket: Pick<KV, 'get' | 'put'>, now: () => number = () => performance.now()) {
    this.#bucket = bucket
    this.#now = now
  }

  /** Who took over filters of a number, the last one first. @throws FleetError */
  async of(number: number): Promise<readonly MemberId[]> {
    const kept = this.#kept.get(number)
    if (kept !== undefined && this.#now() - kept.at < KEPT) return kept.holders
    const { holders } = await this.#read(number)
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear()
    this.#kept.set(number, { holders, at: this.#now() })
    return holders
  }

  /** Records who goes on with filters of a number; to be done before it gets them. @throws FleetError */
  async add(number: number, holder: MemberId): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { holders, revision } = await this.#read(number)
      if (holders[0] === holder) return
      const next = [holder, ...holders.filter((other) => other !== holder)].slice(0, MOST_HOLDERS)
      try {
        const written = await compareAndSet(this.#bucket, keyOf(number), next.join(','), revision, TIMEOUT)
        if (written !== null) {
          this.#kept.delete(number)
          return
        }
      } catch (error) {
        throw toFleetError(error, 'who takes over filters cannot be recorded')
      }
    }
    throw new FleetError('Failed', 'who takes over filters cannot be recorded: others keep changing it')
  }

  async #read(number: number): Promise<{ holders: readonly MemberId[]; revision: number }> {
    try {
      const entry = await this.#bucket.get(keyOf(number))
      if (entry === null) return { holders: [], revision: 0 }
      const text =
        entry.operation === 'PUT' ? Buffer.from(entry.value.subarray(0, 1024)).toString('latin1') : ''
      const holders = text
        .split(',')
        .filter((id) => MEMBER_ID.test(id))
        .slice(0, MOST_HOLDERS)
      return { holders, revision: entry.revision }
    } catch (error) {
      throw toFleetError(error, 'who has filters of another member cannot be read')
    }
  }
}

function keyOf(number: number): string {
  return `filters.${number}`
}
