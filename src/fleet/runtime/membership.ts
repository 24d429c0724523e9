import { randomBytes } from 'node:crypto'
import type { KV } from '@nats-io/kv'
import type { Logger } from '../../observe/logger.ts'
import type { FleetError } from '../errors.ts'
import type { MemberId, SharedLease } from '../interface.ts'
import { LeaderLease } from '../lease/leader.ts'
import { OwnLease, type OwnLeaseEvent } from '../lease/lease.ts'
import { Leases } from '../lease/leases.ts'
import { observedLifetime } from '../lease/leaseTimes.ts'
import type { MemberRecord } from '../lease/memberRecord.ts'
import type { MemberLeases } from '../member/memberPorts.ts'

const INCARNATION_BYTES = 8

export interface MembershipOptions {
  readonly members: KV
  readonly state: KV
  readonly self: MemberId
  /** Milliseconds. */
  readonly lease: number
  readonly clock: () => number
  readonly shared: SharedLease
  readonly logger: Logger
  /** Resolves when the threads of this member answer and its log is the one that it knows. */
  health(): Promise<void>
  record(): Omit<MemberRecord, 'incarnation' | 'over'>
  /** Whether this member is fit to lead. */
  mayLead(): boolean
  /** The greatest epoch of the log. */
  knownEpoch(): number
  onOwn(event: OwnLeaseEvent): void
  onChange(): void
  count(name: string): void
}

/** The leases that a member has and sees (fleet.md §2). */
export class Membership implements MemberLeases {
  readonly own: OwnLease
  readonly leader: LeaderLease
  readonly all: Leases
  readonly #options: MembershipOptions
  readonly #began: number

  constructor(options: MembershipOptions) {
    const { members, state, self, lease, clock, shared, logger, count, onChange } = options
    this.#options = options
    this.#began = clock()
    const incarnation = randomBytes(INCARNATION_BYTES).toString('hex')
    this.all = new Leases({
      bucket: members,
      lease,
      clock,
      onChange,
      onError: (error) => logger.debug({ err: error }, 'leases cannot be watched now'),
      onMalformed: () => count('malformed'),
    })
    this.leader = new LeaderLease({
      bucket: state,
      self,
      incarnation,
      lease,
      clock,
      mayLead: options.mayLead,
      knownEpoch: options.knownEpoch,
      onEvent: (event) => {
        if (event.kind === 'taken') logger.info({ epoch: event.epoch }, 'this member leads the fleet')
        if (event.kind === 'lost')
          logger.info({ epoch: event.epoch }, 'this member leads the fleet no longer')
        onChange()
      },
    })
    this.own = new OwnLease({
      bucket: members,
      id: self,
      lease,
      clock,
      shared,
      health: options.health,
      record: () => ({ ...options.record(), incarnation, over: false }),
      onEvent: options.onOwn,
    })
  }

  get leading(): number | null {
    return this.leader.isLeader ? this.leader.epoch : null
  }

  get known(): readonly MemberId[] {
    const leases = this.all.all().filter(({ isEnded, record }) => !isEnded || record.over)
    return leases.map(({ id }) => id)
  }

  isOver(member: MemberId): boolean {
    return !this.all.holds(member)
  }

  async end(member: MemberId): Promise<boolean> {
    if (this.all.get(member) !== undefined) return this.all.end(member)
    // The bucket knows of none: whoever had one would have been seen by now.
    return this.#options.clock() - this.#began > observedLifetime(this.#options.lease)
  }

  /** The connection is lost. */
  interrupted(): void {
    this.own.interrupted()
  }

  /** The connection is back. */
  reconnected(): void {
    this.all.reconnected()
    this.leader.reconnected()
    this.own.renew()
  }

  async stop(): Promise<void> {
    await this.leader.stop()
    await this.own.release()
    await this.all.stop()
  }
}

/** Resolves when a lease holds for the first time. @throws FleetError */
export function firstHeld(): { readonly held: Promise<void>; note(event: OwnLeaseEvent): void } {
  let resolve: () => void = () => undefined
  let reject: (error: FleetError) => void = () => undefined
  const held = new Promise<void>((settle, fail) => {
    resolve = settle
    reject = fail
  })
  held.catch(() => undefined)
  return {
    held,
    note: (event) => {
      if (event.kind === 'held') resolve()
      if (event.kind === 'duplicate') reject(event.error)
    },
  }
}
