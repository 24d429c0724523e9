import type { FleetChainService, FleetFrontEvent, FleetFrontService, MemberId } from '../interface.ts'
import type { Announcement } from './announcement.ts'
import type { HeadEntry } from './headEntry.ts'
import type { PrepareAnswer, PrepareRequest } from './prepare.ts'

/** What became of the entry of a leader. */
export type WriteOutcome = 'stored' | 'conflict' | 'unknown'

/** The log as a member needs it for heads. */
export interface HeadLog {
  /** Writes a head that follows a revision: `conflict` when another entry did. */
  writeHead(expected: number, entry: HeadEntry): Promise<WriteOutcome>
  /** Last sequence of the log, as its leader knows it. */
  end(): Promise<number>
}

/** Leases as a member needs them (fleet.md §2). */
export interface MemberLeases {
  /** Epoch of the lease of the leader while this member has it; else null. */
  readonly leading: number | null
  /** Members that have a lease, or had one and did not leave. */
  readonly known: readonly MemberId[]
  /** Whether a lease seems to be over, or there is none. */
  isOver(member: MemberId): boolean
  /**
   * Ends the lease of a member that seems to be over, by compare-and-set of the record that this member knows: what its
   * holder renews later does not fit (fleet.md §2). Even where it was ended before: it may have come back since.
   * @returns whether it is over for everybody
   */
  end(member: MemberId): Promise<boolean>
}

/** Messages between members. */
export interface MemberBus {
  /** To all, perhaps lost. */
  announce(announcement: Announcement): void
  /** @throws FleetError when the member does not answer in time */
  prepare(member: MemberId, request: PrepareRequest, milliseconds: number): Promise<PrepareAnswer>
}

/** The front thread as a member needs it. */
export interface MemberFront extends Pick<FleetFrontService, 'hold' | 'ping'> {
  /** In order among the calls. */
  tell(event: FleetFrontEvent): void
}

/** The chain thread as a member needs it. */
export type MemberChain = Pick<FleetChainService, 'executed' | 'head' | 'moveHead'>
