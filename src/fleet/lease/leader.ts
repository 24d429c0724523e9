import type { KV, KvWatchEntry } from '@nats-io/kv'
import type { MemberId } from '../interface.ts'
import { BucketWatch } from '../nats/bucketWatch.ts'
import { compareAndSet } from '../nats/compareAndSet.ts'
import { MEMBER_ID, STATE_KEYS } from '../nats/names.ts'
import { parseObject } from '../parseObject.ts'
import { observedLifetime, renewalInterval, writeTimeout } from './leaseTimes.ts'
import { Repeated } from './repeated.ts'

/** The value of the key `leader` (fleet.md §2). */
export interface LeaderRecord {
  /** Grows with each change of hands. */
  readonly epoch: number
  /** Null once its holder gave it up. */
  readonly leader: MemberId | null
  readonly incarnation: string
}

const LARGEST_LEADER_RECORD = 256

export function encodeLeaderRecord(record: LeaderRecord): string {
  return JSON.stringify(record)
}

/** Null for anything that is no record of a leader. */
export function parseLeaderRecord(bytes: Uint8Array): LeaderRecord | null {
  const { epoch, leader, incarnation } = parseObject(bytes, LARGEST_LEADER_RECORD) ?? {}
  if (typeof epoch !== 'number' || !Number.isSafeInteger(epoch) || epoch < 1) return null
  if (leader !== null && (typeof leader !== 'string' || !MEMBER_ID.test(leader))) return null
  return typeof incarnation === 'string' ? { epoch, leader, incarnation } : null
}

/** What happened to the lease of the leader. */
export type LeaderEvent =
  /** This member leads, in a new epoch. */
  | { readonly kind: 'taken'; readonly epoch: number }
  /** This member leads no longer: it was taken over, or its deadline came. */
  | { readonly kind: 'lost'; readonly epoch: number }
  /** Another member, or nobody, leads. */
  | { readonly kind: 'changed' }
  /** A write or the watch failed; it is tried again. */
  | { readonly kind: 'late'; readonly error: unknown }

export interface LeaderLeaseOptions {
  /** Bucket `state`. */
  readonly bucket: Pick<KV, 'put' | 'watch'>
  readonly self: MemberId
  /** That of the records of this member. */
  readonly incarnation: string
  /** Milliseconds, `--fleet-lease`. */
  readonly lease: number
  /** Milliseconds of the boot clock. */
  readonly clock: () => number
  /** Whether this member is fit to lead now. */
  readonly mayLead: () => boolean
  /** The highest epoch that the log is known to have: the next one is above it, whatever became of the bucket. */
  readonly knownEpoch: () => number
  readonly onEvent: (event: LeaderEvent) => void
}

/** The lease of the leader: kept, observed and taken over by compare-and-set (fleet.md §2). */
export class LeaderLease {
  readonly #options: LeaderLeaseOptions
  readonly #watch: BucketWatch
  readonly #repeated: Repeated
  #seen: LeaderRecord | null = null
  #revision = 0
  #received: number
  #deadline = 0
  /** The epoch in which this member leads; 0 for none. */
  #leading = 0
  #end: NodeJS.Timeout | undefined
  #isStopped = false
  #isResigned = false

  constructor(options: LeaderLeaseOptions) {
    this.#options = options
    this.#received = options.clock()
    this.#repeated = new Repeated(() => this.#step(), renewalInterval(options.lease))
    this.#watch = new BucketWatch({
      bucket: options.bucket,
      key: STATE_KEYS.leader,
      silence: options.lease,
      clock: options.clock,
      onEntry: (entry) => this.#see(entry),
      onError: (error) => options.onEvent({ kind: 'late', error }),
    })
  }

  start(): void {
    this.#repeated.start()
  }

  /** Whether this member leads by its own clock, now. */
  get isLeader(): boolean {
    return this.#leading > 0 && this.#options.clock() < this.#deadline
  }

  /** Of the newest record. */
  get epoch(): number {
    return this.#seen?.epoch ?? 0
  }

  /** Who leads as far as is known here; null for nobody. */
  get leader(): MemberId | null {
    return this.#isSilent() ? null : (this.#seen?.leader ?? null)
  }

  /** The connection is back: what was missed is read. */
  reconnected(): void {
    this.#watch.restart()
    this.#repeated.now()
  }

  /** Gives the lease up, so that another member takes it at once; to be called when no round runs. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#repeated.stop()
    await this.#watch.stop()
    await this.#giveUp()
  }

  /** Gives the lease up and takes it never again, while others are still watched; to be called when no round runs. */
  resign(): void {
    this.#isResigned = true
    this.#repeated.now()
  }

  async #giveUp(): Promise<void> {
    const { bucket, incarnation, lease } = this.#options
    const epoch = this.#leading
    this.#lose()
    if (epoch === 0) return
    const value = encodeLeaderRecord({ epoch, leader: null, incarnation })
    // Others wait until it is over when this does not arrive.
    await compareAndSet(bucket, STATE_KEYS.leader, value, this.#revision, writeTimeout(lease)).catch(
      () => undefined,
    )
  }

  async #step(): Promise<void> {
    if (this.#leading > 0 && !this.isLeader) this.#lose()
    if (this.#isStopped) return
    // Here no write of a renewal is under way, which would have it lead again.
    if (this.#isResigned) return this.#giveUp()
    try {
      if (this.#leading > 0) await this.#write(this.#leading)
      else if (this.#mayTake()) await this.#write(Math.max(this.epoch, this.#options.knownEpoch()) + 1)
    } catch (error) {
      this.#options.onEvent({ kind: 'late', error })
    }
  }

  #mayTake(): boolean {
    if (!this.#options.mayLead()) return false
    const wasOwn = this.#isOwn(this.#seen)
    return wasOwn || (this.#seen !== null && this.#seen.leader === null) || this.#isSilent()
  }

  #isSilent(): boolean {
    return this.#options.clock() - this.#received > observedLifetime(this.#options.lease)
  }

  #isOwn(record: LeaderRecord | null): boolean {
    const { self, incarnation } = this.#options
    return record?.leader === self && record.incarnation === incarnation
  }

  async #write(epoch: number): Promise<void> {
    const { bucket, self, incarnation, lease, clock } = this.#options
    const record = { epoch, leader: self, incarnation }
    const sent = clock()
    const revision = await compareAndSet(
      bucket,
      STATE_KEYS.leader,
      encodeLeaderRecord(record),
      this.#revision,
      writeTimeout(lease),
    )
    // Another member has it, or an own write was not acknowledged: the watch says which.
    if (revision === null) return this.#watch.restart()
    this.#note(record, revision)
    if (this.#revision !== revision || (this.#leading > 0 && this.#leading !== epoch)) return
    this.#deadline = sent + lease
    this.#watchDeadline()
    if (this.#leading === epoch || !this.#isDeadlineAhead()) return
    this.#leading = epoch
    this.#options.onEvent({ kind: 'taken', epoch })
  }

  #isDeadlineAhead(): boolean {
    return this.#options.clock() < this.#deadline
  }

  #see({ value, revision, operation }: KvWatchEntry): void {
    const record = operation === 'PUT' ? parseLeaderRecord(value) : null
    if (revision > this.#revision) this.#note(record, revision)
  }

  #note(record: LeaderRecord | null, revision: number): void {
    if (revision <= this.#revision) return
    const before = this.#seen
    this.#seen = record
    this.#revision = revision
    this.#received = this.#options.clock()
    if (this.#leading > 0 && !(this.#isOwn(record) && record?.epoch === this.#leading)) this.#lose()
    if (before?.leader !== record?.leader || before?.epoch !== record?.epoch) {
      this.#options.onEvent({ kind: 'changed' })
    }
    // One that was given up is taken at once.
    if (record?.leader === null) this.#repeated.now()
  }

  #watchDeadline(): void {
    clearTimeout(this.#end)
    const left = Math.max(0, Math.ceil(this.#deadline - this.#options.clock()))
    this.#end = setTimeout(() => {
      if (this.#isDeadlineAhead()) this.#watchDeadline()
      else this.#lose()
    }, left)
    this.#end.unref()
  }

  #lose(): void {
    clearTimeout(this.#end)
    this.#deadline = 0
    const epoch = this.#leading
    this.#leading = 0
    if (epoch > 0) this.#options.onEvent({ kind: 'lost', epoch })
  }
}
