import type { KV, KvWatchEntry } from '@nats-io/kv'
import type { MemberId } from '../interface.ts'
import { BucketWatch } from '../nats/bucketWatch.ts'
import { compareAndSet } from '../nats/compareAndSet.ts'
import { MEMBER_ID } from '../nats/names.ts'
import { observedLifetime, renewalInterval, writeTimeout } from './leaseTimes.ts'
import { encodeMemberRecord, type MemberRecord, parseMemberRecord } from './memberRecord.ts'

/** The lease of a member as this one sees it. */
export interface ObservedLease {
  readonly id: MemberId
  readonly record: MemberRecord
  /** Of the record in the bucket. */
  readonly revision: number
  /** When a newer revision was last received, milliseconds of this machine's boot clock. */
  readonly received: number
  /** Whether its holder gave it up itself, or it was ended ({@link Leases.end}). */
  readonly isEnded: boolean
}

export interface LeasesOptions {
  /** Bucket `members`. */
  readonly bucket: Pick<KV, 'watch' | 'put'>
  /** Milliseconds, `--fleet-lease`. */
  readonly lease: number
  /** Milliseconds of the boot clock. */
  readonly clock: () => number
  /** A lease is new, renewed, ended or no longer seen renewed. */
  readonly onChange: () => void
  /** The bucket cannot be watched now. */
  readonly onError: (error: unknown) => void
  /** A record does not parse and is skipped. */
  readonly onMalformed: (id: MemberId) => void
}

/** Leases that are kept in memory: with {@link LARGEST_RECORD} at most some MiB. */
const MOST_LEASES = 4096

/** The leases of all members, this one included, by the clock of this machine (fleet.md §2). */
export class Leases {
  readonly #options: LeasesOptions
  readonly #watch: BucketWatch
  readonly #tick: NodeJS.Timeout
  readonly #leases = new Map<MemberId, ObservedLease>()
  #holding = ''

  constructor(options: LeasesOptions) {
    this.#options = options
    this.#watch = new BucketWatch({
      bucket: options.bucket,
      key: '>',
      silence: options.lease,
      clock: options.clock,
      onEntry: (entry) => this.#see(entry),
      onError: options.onError,
    })
    this.#tick = setInterval(() => this.#notice(), renewalInterval(options.lease))
    this.#tick.unref()
  }

  /** All that were seen, those that are over included. */
  all(): readonly ObservedLease[] {
    return [...this.#leases.values()]
  }

  get(id: MemberId): ObservedLease | undefined {
    return this.#leases.get(id)
  }

  /** Whether a member renews its lease, as far as is known here. */
  holds(id: MemberId): boolean {
    const lease = this.#leases.get(id)
    return lease !== undefined && !lease.isEnded && !this.#isSilent(lease)
  }

  /**
   * Ends the lease of a member that has not renewed it for so long that it has stopped by its own clock. The compare
   * and set of its record makes sure that no renewal was missed here: had there been one, the revision would be
   * another; one that comes later does not fit.
   * @returns true when it is over for everybody; false when it is not over yet
   * @throws what the client throws when the outcome is unknown: to be tried again
   */
  async end(id: MemberId): Promise<boolean> {
    const lease = this.#leases.get(id)
    if (lease === undefined) return false
    // One that was ended before is ended again: its holder may have renewed since, which is not seen here yet.
    if (!lease.isEnded && !this.#isSilent(lease)) return false
    const { bucket, lease: milliseconds } = this.#options
    const record = { ...lease.record, serves: false, over: true }
    const value = encodeMemberRecord(record)
    const revision = await compareAndSet(bucket, id, value, lease.revision, writeTimeout(milliseconds))
    if (revision === null) {
      this.#watch.restart()
      return false
    }
    const now = this.#leases.get(id)
    if (now === undefined || now.revision < revision) {
      this.#leases.set(id, { ...lease, record, revision, isEnded: true })
      this.#options.onChange()
    }
    return true
  }

  /** The connection is back: what was missed is read. */
  reconnected(): void {
    this.#watch.restart()
  }

  async stop(): Promise<void> {
    clearInterval(this.#tick)
    await this.#watch.stop()
  }

  #isSilent({ received }: ObservedLease): boolean {
    return this.#options.clock() - received > observedLifetime(this.#options.lease)
  }

  #see({ key: id, value, revision, operation }: KvWatchEntry): void {
    if (!MEMBER_ID.test(id)) return
    const known = this.#leases.get(id)
    if (known !== undefined && known.revision >= revision) return
    if (known === undefined && this.#leases.size >= MOST_LEASES) return
    const received = this.#options.clock()
    if (operation !== 'PUT') {
      if (known !== undefined) this.#leases.set(id, { ...known, revision, received, isEnded: true })
    } else {
      const record = parseMemberRecord(value)
      if (record === null) {
        this.#options.onMalformed(id)
        return
      }
      this.#leases.set(id, { id, record, revision, received, isEnded: record.over })
    }
    this.#holding = this.#holders()
    this.#options.onChange()
  }

  /** Tells when a lease is over because nothing came. */
  #notice(): void {
    const holding = this.#holders()
    if (holding === this.#holding) return
    this.#holding = holding
    this.#options.onChange()
  }

  #holders(): string {
    return [...this.#leases.keys()].filter((id) => this.holds(id)).join()
  }
}
