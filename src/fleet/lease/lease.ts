import type { KV } from '@nats-io/kv'
import { FleetError } from '../errors.ts'
import type { MemberId, SharedLease } from '../interface.ts'
import { compareAndSet } from '../nats/compareAndSet.ts'
import { renewalInterval, writeTimeout } from './leaseTimes.ts'
import { encodeMemberRecord, type MemberRecord, parseMemberRecord } from './memberRecord.ts'
import { Repeated } from './repeated.ts'

/** What happened to the lease of this member. */
export type OwnLeaseEvent =
  /** It holds, after it did not. */
  | { readonly kind: 'held' }
  /** Its deadline is over. */
  | { readonly kind: 'over' }
  /** Others took it for over meanwhile, or its record has vanished from the bucket: this member is to be named anew before it serves. */
  | { readonly kind: 'fenced' }
  /** A renewal failed; the lease holds until its deadline. */
  | { readonly kind: 'late'; readonly error: unknown }
  /** Another process runs with this id: the lease is given up for good. */
  | { readonly kind: 'duplicate'; readonly error: FleetError }

export interface OwnLeaseOptions {
  /** Bucket `members`. */
  readonly bucket: Pick<KV, 'get' | 'put' | 'delete'>
  readonly id: MemberId
  /** Milliseconds, `--fleet-lease`. */
  readonly lease: number
  /** Milliseconds of the boot clock. */
  readonly clock: () => number
  readonly shared: SharedLease
  /** Resolves when the threads of this member have answered a question that was asked after the call. */
  readonly health: () => Promise<void>
  /** What the next renewal says; its `incarnation` is that of this process. */
  readonly record: () => MemberRecord
  readonly onEvent: (event: OwnLeaseEvent) => void
}

/** The lease of this member: renewed until it is released (fleet.md §2). */
export class OwnLease {
  readonly #options: OwnLeaseOptions
  readonly #repeated: Repeated
  #revision: number | null = null
  /** Whether this process has written the record. */
  #isWritten = false
  #isHeld = false
  #isGivenUp = false
  /** How often the connection was lost. */
  #interruptions = 0
  #end: NodeJS.Timeout | undefined

  constructor(options: OwnLeaseOptions) {
    this.#options = options
    this.#repeated = new Repeated(() => this.#renew(), renewalInterval(options.lease))
  }

  /** Milliseconds of the boot clock; 0 for none. */
  get deadline(): number {
    return this.#options.shared.deadline[0] ?? 0
  }

  get isHeld(): boolean {
    return this.#options.clock() < this.deadline
  }

  start(): void {
    this.#repeated.start()
  }

  /** Renews at once: the connection is back, or what the record says has changed. */
  renew(): void {
    this.#repeated.now()
  }

  /** The connection was lost: a renewal that is under way counts no more, as the log may be another one by then. */
  interrupted(): void {
    this.#interruptions += 1
  }

  /**
   * Ends the lease and tells others, who need not wait for its deadline: to be called when nothing is answered any
   * more.
   */
  async release(): Promise<void> {
    await this.#stop()
    if (this.#revision === null || !this.#isWritten) return
    const { bucket, id } = this.#options
    // Others wait for the deadline when this does not arrive.
    await bucket.delete(id, { previousSeq: this.#revision }).catch(() => undefined)
  }

  async #stop(): Promise<void> {
    this.#isGivenUp = true
    this.#options.shared.deadline[0] = 0
    clearTimeout(this.#end)
    await this.#repeated.stop()
    this.#options.shared.deadline[0] = 0
  }

  async #renew(): Promise<void> {
    const { bucket, id, lease, clock, health, record, shared, onEvent } = this.#options
    const interruptions = this.#interruptions
    try {
      await inTime(health(), lease)
      this.#revision ??= (await bucket.get(id))?.revision ?? 0
      const sent = clock()
      const value = encodeMemberRecord(record())
      const revision = await compareAndSet(bucket, id, value, this.#revision, writeTimeout(lease))
      if (this.#isGivenUp) return
      if (revision === null) {
        await this.#resolveConflict()
        return
      }
      this.#revision = revision
      this.#isWritten = true
      if (interruptions !== this.#interruptions) return
      shared.deadline[0] = sent + lease
      this.#watchDeadline()
    } catch (error) {
      if (!this.#isGivenUp) onEvent({ kind: 'late', error })
    }
  }

  /** The record is another one than this process knows of. */
  async #resolveConflict(): Promise<void> {
    const { bucket, id, record, onEvent } = this.#options
    const entry = await bucket.get(id)
    const found = entry === null || entry.operation !== 'PUT' ? null : parseMemberRecord(entry.value)
    const isOwn = found === null || found.incarnation === record().incarnation
    if (!isOwn && this.#isWritten) {
      void this.#stop()
      const text = `another process runs with the id ${id} of this member: remove fleet.json from a data directory that was copied`
      onEvent({ kind: 'duplicate', error: new FleetError('Duplicate', text) })
      return
    }
    // Its own renewal without an acknowledgement, or what others or an earlier process wrote.
    this.#revision = entry?.revision ?? 0
    // Without a record others take the lease for over, as they do with one that says so.
    if (found === null ? this.#isWritten : isOwn && found.over) onEvent({ kind: 'fenced' })
    this.#repeated.now()
  }

  #watchDeadline(): void {
    clearTimeout(this.#end)
    const left = this.deadline - this.#options.clock()
    if (left > 0 && !this.#isHeld) {
      this.#isHeld = true
      this.#options.onEvent({ kind: 'held' })
    }
    this.#end = setTimeout(
      () => {
        if (this.isHeld) return this.#watchDeadline()
        if (!this.#isHeld) return
        this.#isHeld = false
        this.#options.onEvent({ kind: 'over' })
      },
      Math.max(0, Math.ceil(left)),
    )
    this.#end.unref()
  }
}

async function inTime(answer: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new FleetError('Timeout', `a thread of this node has not answered for ${milliseconds} ms`)
    timer = setTimeout(() => reject(error), milliseconds)
  })
  await Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
