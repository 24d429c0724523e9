import type { BlockReference } from '../chain/tables/blockKey.ts'
import type { WaitCounts } from '../util/waits.ts'
import type { FromFront, ToFront } from './access/messages.ts'
import type { FleetBlock, LinkedBlock } from './head/fleetBlock.ts'
import type { HeadStep } from './head/servedHead.ts'
import type { MemberId } from './member.ts'
import type { Presence } from './presence/presence.ts'

/** The services of the chain thread for the fleet thread (`node/chainThread/fleetService.ts`). */
export interface FleetChainService {
  /** The chain as it is now: what is executed later comes as events. */
  begin(): Promise<ChainStart>
  /**
   * Whether executed blocks wait for {@link adopt}: milliseconds after which the chain thread adopts by itself, or null
   * for blocks that are adopted in the commit that executes them. It is null again when the port closes.
   */
  holdHeads(longest: number | null): Promise<void>
  /** Makes an executed block on the way to the heaviest one the head; of another block nothing happens. */
  adopt(hash: Buffer): Promise<void>
  /** Offers transactions of another member to the pool; answers when those that entered are durable. */
  receive(transactions: readonly Buffer[]): Promise<void>
  /** Hashes of all transactions that wait here, 32 bytes each. */
  waiting(): Promise<Buffer>
  /** Those of some hashes (32 bytes each) that neither pool nor chain has. */
  lacking(hashes: Buffer): Promise<Buffer>
  /** RLP of transactions that wait, by their hashes (32 bytes each); those that do not are left out. */
  transactions(hashes: Buffer): Promise<readonly Buffer[]>
  /** Tells whether this member makes blocks on a development chain; else who does, for whoever asks for one. */
  makeBlocks(maker: BlockMaker): Promise<void>
  /** Takes a template of another member (fleet.md §9). Throws when it does not parse. */
  takeWork(from: MemberId, template: Buffer): Promise<void>
  /** A sign of life. */
  ping(): Promise<void>
}

/** The own chain around its head. */
export interface ChainBranch {
  readonly adopted: FleetBlock
  /** The heaviest one. */
  readonly executed: FleetBlock
  /** The blocks between both and some below, oldest first. */
  readonly recent: readonly LinkedBlock[]
}

export interface ChainStart extends ChainBranch {
  readonly genesis: Buffer
  /** Reason why this chain may not be one of a fleet: edits, impersonated transactions; null when it may. */
  readonly whyNot: string | null
}

/** The maker of blocks on a development chain: this member, another one by its name, or nobody that is known. */
export type BlockMaker =
  | { readonly kind: 'self' }
  | { readonly kind: 'other'; readonly name: string }
  | { readonly kind: 'unknown' }

/** The events of the chain thread for the fleet thread, in their order. */
export type FleetChainEvent =
  /** Blocks are executed and durable. */
  | { readonly kind: 'executed'; readonly blocks: readonly LinkedBlock[]; readonly heaviest: FleetBlock }
  | { readonly kind: 'adopted'; readonly head: FleetBlock }
  /** A block is invalid here. */
  | { readonly kind: 'refused'; readonly hash: Buffer }
  /** The answer to a send waited for others. */
  | { readonly kind: 'waited'; readonly milliseconds: number }

/** The services of the fleet thread for the chain thread. */
export interface FleetAnnouncer {
  /** Announces durable transactions to others; answers when all present ones have admitted or refused them. */
  announce(transactions: readonly Buffer[]): Promise<void>
  /** Gives a template for pools to all members. */
  announceWork(template: Buffer): Promise<void>
}

/** The services of the front thread for the fleet thread. */
export interface FleetFrontService {
  /** Gives it the fleet as this member sees it. @returns how this node is; a sign of life as well */
  state(status: FleetStatus): Promise<FrontState>
  /** Answers a call of another member for a filter of this one (fleet.md §8). */
  answerFilter(payload: Buffer): Promise<Uint8Array>
}

/** State of a node, as its front thread knows it. */
export interface FrontState {
  /** Reason why it is not ready, for operators; null when it is. */
  readonly whyNotReady: string | null
  readonly draining: boolean
  /** enode URL at which members may connect; null without peers. */
  readonly enode: string | null
  /** Node ids of connected peers, 128 hex digits. */
  readonly peers: readonly string[]
}

/** The events of the fleet thread for the front thread. */
export type FleetFrontEvent =
  /** The newest executed blocks of other present members, with every change. */
  | { readonly kind: 'announced'; readonly blocks: readonly BlockReference[] }
  /** enode URLs of the members to be connected with, and of all, which are trusted; with every change. */
  | { readonly kind: 'members'; readonly connect: readonly string[]; readonly trusted: readonly string[] }
  /** About keys and counters. */
  | { readonly kind: 'access'; readonly message: ToFront }

/** The services of the fleet thread for the front thread. */
export interface FleetThreadService {
  /** Calls another member for a filter of it (fleet.md §8). @throws FleetError as `MemberCalls.call` */
  askFilter(member: MemberId, payload: Buffer, milliseconds: number): Promise<Buffer>
  /** Tells the others that this member leaves; answers when it was sent. */
  drain(): Promise<void>
  /** Takes a message about keys and counters. */
  counted(message: FromFront): Promise<void>
}

/** A member as another one sees it. */
export interface MemberStatus extends Pick<Presence, 'id' | 'name' | 'version' | 'executed' | 'adopted'> {
  readonly present: boolean
  /** Reason why it is not present or not waited for; null when there is nothing to say. */
  readonly reason: string | null
  /** Milliseconds since its last message. */
  readonly seenAgo: number
  /** By how much its clock is ahead of the own one, milliseconds; the way of the message included. */
  readonly clockAhead: number
  readonly late: boolean
  /** True when there is a p2p connection with it; null where nobody knows. */
  readonly linked: boolean | null
}

/** A fleet as a member sees it. */
export interface FleetStatus {
  readonly fleet: string
  readonly self: MemberId
  readonly connected: boolean
  /** True when this member is present for others. */
  readonly present: boolean
  /** Reason why it is not; null when it is. */
  readonly reason: string | null
  readonly members: readonly MemberStatus[]
  /** Number of blocks by the reason for which they were adopted. */
  readonly adoptions: Readonly<Record<HeadStep['why'], number>>
  /** Time for which these blocks, and answers to sends, waited for other members. */
  readonly waits: { readonly adopt: WaitCounts; readonly send: WaitCounts }
  readonly counts: Readonly<Record<string, number>>
}
