import type { BlockOutcome } from '../sync/syncChain.ts'
import type { SendOutcome } from '../txpool/interface.ts'
import type { SharedLog } from './log/sharedLog.ts'

/** Id of a member: 16 hex digits, random, kept in its data directory. */
export type MemberId = string

/** A block and the difficulty of the chain up to it, uncles included. */
export interface FleetBlock {
  readonly number: number
  readonly hash: Buffer
  readonly totalDifficulty: bigint
}

/** Signature of an operator for a block as a head (fleet.md §12). */
export interface HeadSignature {
  /** Public key, 96 hex digits. */
  readonly key: string
  /** 96 bytes. */
  readonly signature: Buffer
}

/** An entry of the log that says which block is the head of all members (fleet.md §3). */
export interface FleetHead extends FleetBlock {
  /** Sequence of the entry in the log. */
  readonly revision: number
  readonly epoch: number
  readonly leader: MemberId
  /** Who may serve. */
  readonly members: readonly MemberId[]
  /** Of the block, as far as the writer of the entry had them (fleet.md §12). */
  readonly signatures?: readonly HeadSignature[]
}

/** A transaction as the log has it (fleet.md §4). */
export interface LoggedTransaction {
  /** Sequence of the entry in the log. */
  readonly sequence: number
  /** When the stream stored it, milliseconds since 1970: the time of the pool for everybody. */
  readonly time: number
  /** RLP. */
  readonly encoded: Buffer
}

/** A transaction of a pool, as a joining member takes it over. */
export interface PoolEntry {
  readonly encoded: Buffer
  /** Height of the head when it arrived. */
  readonly addedAtBlock: number
  /** Milliseconds since 1970. */
  readonly addedAt: number
}

/**
 * What decides about entries of the log to come beside the pool and the head: it goes to a joining member with the pool,
 * as one answer with another would make pools differ.
 */
export interface AdmissionState {
  /** How many of the pool's entries, which come first, are pending; the others are queued. */
  readonly pending: number
  /** Time of the last entry that was read, milliseconds since 1970; null before the first. */
  readonly time: number | null
  /** The newest outcomes, packed (`node/chainThread/sendOutcomes.ts`): at most 70 MB, usually some 34 bytes each. */
  readonly outcomes: Buffer
  /** Virtual gas of accounts, packed (`node/chainThread/fleetPool.ts`): 36 bytes each; empty without quotas. */
  readonly quotas: Buffer
}

/**
 * What the chain thread does for the fleet thread (`node/chainThread/fleetService.ts`). While a node belongs to a fleet
 * its canonical head moves by {@link moveHead} alone, and its pool admits by {@link admit} alone.
 */
export interface FleetChainService {
  /** The canonical head. */
  head(): Promise<FleetBlock>
  /** The heaviest block that is executed and durable, canonical or not. */
  heaviest(): Promise<FleetBlock>
  genesisHash(): Promise<Buffer>
  /** Why this chain may not be one of a fleet: edits, impersonated transactions; null when it may. */
  whyNot(): Promise<string | null>
  /** Whether a block is executed and durable; with its difficulty. */
  executed(hash: Buffer): Promise<FleetBlock | null>
  /** Validates, executes and stores blocks in order, as from a peer; durable when it answers. The head stays. */
  connect(blocks: readonly Buffer[]): Promise<readonly BlockOutcome[]>
  /**
   * Makes an executed block the canonical head, also one below: head, indices, pool and filters change in one commit,
   * which is durable, and told to the front thread, when this answers; far above the head in several commits, each a part
   * of the way. Calls of this, of {@link admit} and of {@link replacePool} take effect in their order.
   * @param time when the stream stored the entry that says so, milliseconds since 1970: the pool's time from then on
   */
  moveHead(hash: Buffer, time?: number): Promise<void>
  /**
   * Offers transactions to the pool in the order and at the time of the log; durable when it answers. After a failure
   * nothing is known of these entries: they may be offered again.
   */
  admit(transactions: readonly LoggedTransaction[]): Promise<readonly SendOutcome[]>
  /** All of the pool as it came, pending ones first. */
  pool(): Promise<readonly PoolEntry[]>
  /** To be asked in the same turn as {@link pool}: both are then of the same entry of the log. */
  admissionState(): Promise<AdmissionState>
  /**
   * Replaces the pool.
   * @param state of the same member at the same time: the pool is then the same, by none of its rules. Without it quotas
   * and outcomes stay as they are, and what the head does not admit is left out.
   */
  replacePool(entries: readonly PoolEntry[], state?: AdmissionState): Promise<void>
  /** Gives the memory in which sequences of the log are, before the first call of {@link admit}. */
  shareLog(shared: SharedLog): Promise<void>
  /** Whether this member makes blocks in its interval, as the leader does; it does not before this was called. */
  lead(isLeader: boolean): Promise<void>
  /** Takes a template for pools that the leader built (`mining/workTemplate.ts`). @throws RpcError when it does not parse */
  takeWork(template: Buffer): Promise<void>
  /** Somebody mines at another member: the leader builds work. */
  buildWork(): Promise<void>
  /** Resolves when the thread has time: a sign of life for the lease. It also says that events so far were heard. */
  ping(): Promise<void>
}

/** What the chain thread tells the fleet thread. */
export type FleetChainEvent =
  /**
   * A block became executed and durable that did not come from {@link FleetChainService.connect}. When more than 32 MiB
   * of them come between two calls of {@link FleetChainService.ping}, the rest is not told: the heaviest block is known
   * all the same, and other members ask for what they lack (fleet.md §10 `blocks`).
   */
  { readonly kind: 'accepted'; readonly block: FleetBlock; readonly encoded: Buffer }

/** What the fleet thread does for the chain thread. */
export interface FleetPublisher {
  /**
   * Publishes transactions to the log. The outcome of each comes by {@link FleetChainService.admit}.
   * @param after of one that the log had before, without its being in the pool or on the chain now: the sequence that
   *   its new entry follows; null for one that is new
   * @throws RpcError `fleetAway` when the member may not take any
   * @returns sequences of the log; of one that the log had already, the sequence of the first time
   */
  publishTransactions(
    encoded: readonly Buffer[],
    after: readonly (number | null)[],
  ): Promise<readonly number[]>
  /**
   * Resolves when every member that may serve has applied an entry of the log (fleet.md §4).
   * @throws RpcError `fleetAway`
   */
  whenStable?(sequence: number): Promise<void>
  /**
   * Gives a template for pools to all members; resolves when the stream has it.
   * @throws RpcError `fleetAway`
   */
  publishWork?(template: Buffer): Promise<void>
  /** Tells the leader that somebody mines here. */
  askForWork?(): Promise<void>
}

/** Why a member does not serve what is relative to the head. */
export type FleetAbsence =
  /** Not yet named by a head, or behind. */
  | 'joining'
  /** Its lease is over. */
  | 'cutOff'
  /** A round has held it for too long. */
  | 'held'
  /** The head has not the signatures that this member needs. */
  | 'unsigned'
  /** It was told to leave. */
  | 'draining'

/** A release of this revision ends whatever hold there is: the log counts anew (fleet.md §4). */
export const EVERY_REVISION: number = Number.MAX_SAFE_INTEGER

/** What the fleet thread tells the front thread. */
export type FleetFrontEvent =
  /** Whether this member is named by the last head that it applied, and stands on it. */
  | { readonly kind: 'membership'; readonly absence: FleetAbsence | null; readonly head: FleetHead | null }
  /** The round that a hold was for is over: requests go on once the head of this hash is known here. */
  | { readonly kind: 'release'; readonly revision: number; readonly hash: Buffer }
  | { readonly kind: 'status'; readonly status: FleetStatus }

/** What the front thread does for the fleet thread. */
export interface FleetFrontService {
  /** Begins no more requests until a release of a later revision; answers when that holds. */
  hold(revision: number): Promise<void>
  /** Answers a call of another member (fleet.md §10: `filter`, `search`). */
  answer(service: string, payload: Buffer): Promise<Buffer>
  /** A sign of life for the lease. */
  ping(): Promise<void>
}

/** What the fleet thread does for the front thread. */
export interface FleetThreadService {
  /**
   * Calls a service of another member (fleet.md §10).
   * @param member its id, or its number
   * @throws RpcError `fleetAway` when it does not answer in time
   */
  call(member: MemberId | number, service: string, payload: Buffer, milliseconds: number): Promise<Buffer>
  /** Asks the leader for cost units (fleet.md §7). */
  grant(payload: Buffer): Promise<Buffer>
  /** Members that serve now, without this one. */
  others(): Promise<readonly MemberId[]>
  /** Stops serving, hands over what others can take, and leaves. */
  drain(): Promise<void>
  status(): Promise<FleetStatus>
}

/** A member as others see it. */
export interface MemberStatus {
  readonly id: MemberId
  readonly name: string
  readonly number: number
  readonly version: string
  /** Named by the last head. */
  readonly serves: boolean
  readonly head: FleetBlock | null
  /** Of its canonical head behind the fleet head, milliseconds when last told; null while unknown. */
  readonly lag: number | null
  /** Share of time in which its busiest thread was not idle, 0 to 1. */
  readonly load: number
}

/** A block that is not, or not served as, the head for lack of signatures (fleet.md §12). */
export interface SignatureWait {
  readonly number: number
  /** Signatures that it has. */
  readonly signatures: number
  /** Signatures that it needs. */
  readonly needed: number
}

/** A fleet as a member sees it. */
export interface FleetStatus {
  readonly fleet: string
  readonly self: MemberId
  readonly number: number
  readonly absence: FleetAbsence | null
  /** For operators; null while there is nothing to say. */
  readonly reason: string | null
  /** Which block lacks how many signatures, so that the head stands still; null for none. */
  readonly waits?: SignatureWait | null
  readonly head: FleetHead | null
  readonly leader: MemberId | null
  readonly isLeader: boolean
  readonly members: readonly MemberStatus[]
  /** Milliseconds for which sends wait for a member that does not apply the log (fleet.md §4); 0 when none do. */
  readonly standstill: number
  /** Milliseconds that holds took: median and 99th percentile of the last 1,000. */
  readonly holds: {
    readonly p50: number
    readonly p99: number
    readonly longest: number
    readonly count: number
  }
  readonly counts: Readonly<Record<string, number>>
}

/** A head of the fleet that a member has applied: the sequence of its entry in the log, and the block. */
export interface AppliedHead {
  readonly revision: number
  readonly hash: Buffer
}

/** Memory that the fleet thread writes and the front thread reads. */
export interface SharedLease {
  /** One element: the deadline of this member's lease, milliseconds of the boot clock; 0 for none. */
  readonly deadline: Float64Array
}
