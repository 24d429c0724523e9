import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from '../observe/logger.ts'
import type { FleetAbsence, FleetChainService, FleetFrontService, FleetHead, MemberId } from './interface.ts'

/** A call to another member (fleet.md §10). */
export interface FleetCall {
  readonly service: string
  readonly payload: Buffer
  /** For the whole answer. */
  readonly milliseconds: number
  /** Most bytes of the answer. */
  readonly mostBytes: number
}

/** Answers the calls of a service. What it throws reaches the caller as a failure with the message. */
export type FleetAnswerer = (payload: Buffer) => Promise<Buffer>

/** Calls between members (fleet.md §10). */
export interface FleetCallsPort {
  /** Answers a service on this member; returns a function that ends it. */
  serve(service: string, answer: FleetAnswerer): () => void
  /** @throws FleetError when the member does not answer in time, refuses, or answers too much */
  call(member: MemberId, call: FleetCall): Promise<Buffer>
}

/** What a member knows of the fleet now. */
export interface FleetView {
  readonly self: MemberId
  /** Number of this member (fleet.md §6). */
  readonly number: number
  /** The head that was last applied; null before the first. */
  readonly head: FleetHead | null
  /** Why this member does not serve; null while it does. */
  readonly absence: FleetAbsence | null
  readonly leader: MemberId | null
  /** Of the lease of the leader. */
  readonly epoch: number
  readonly isLeader: boolean
  /** Members that are named by the head and whose lease is not over, this one included. */
  readonly serving: readonly MemberId[]
  /** The id of a member by its number; null for one that is not known. */
  memberOf(number: number): MemberId | null
  /** Calls a listener after every change of the above; returns a function that removes it. */
  onChange(listener: () => void): () => void
}

/** What a {@link FleetPart} is given. */
export interface FleetPartContext {
  readonly connection: NatsConnection
  readonly jetstream: JetStreamClient
  readonly manager: JetStreamManager
  /** Name of the fleet, which begins the names of its streams, buckets and subjects. */
  readonly fleet: string
  readonly calls: FleetCallsPort
  readonly view: FleetView
  readonly chain: FleetChainService
  readonly front: FleetFrontService
  /** Data directory of the node. */
  readonly dataDir: string
  readonly log: Logger
  /** Counts what `/metrics` and `fleet status` show. */
  count(name: string, by?: number): void
}

/**
 * A part of the fleet thread that the rounds do without: quotas, keys, filters, snapshots. The thread starts parts in
 * their order once the member is connected, and stops them in the reverse order.
 */
export interface FleetPart {
  readonly name: string
  /** May throw: the thread then ends and is started again. */
  start(context: FleetPartContext): Promise<void>
  stop(): Promise<void>
  /** The connection to NATS was lost and is back: what was watched may have a gap. */
  reconnected?(): void
  /** Why the lease of this member may not be renewed now, for operators; null when it may. */
  whyNot?(): string | null
  /** Asks the leader for cost units (fleet.md §7); of one part only. */
  grant?(payload: Buffer): Promise<Buffer>
  /** This member leaves: hands over what others can take. */
  drain?(): Promise<void>
}
