import type { JetStreamClient } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { FromFront, ToFront } from './access/messages.ts'
import type { FleetChainService } from './interface.ts'
import type { MemberId } from './member.ts'
import type { MemberCalls } from './nats/calls.ts'
import type { FleetNames } from './nats/names.ts'

/** The parts that a {@link FleetPart} is given. */
export interface FleetPartContext {
  readonly nats: NatsConnection
  readonly jetstream: JetStreamClient
  readonly names: FleetNames
  readonly calls: MemberCalls
  readonly chain: FleetChainService
  readonly self: MemberId
  /** Time zone of quotas. */
  readonly zone: string
  /** Data directory of the node. */
  readonly dataDir: string
  /** True when NATS is reached and this process takes part. */
  isConnected(): boolean
  /** Other members that are present. */
  others(): readonly MemberId[]
  /** Subscribes; what throws in the handler is counted as skipped, logged once a minute, and stops nothing. */
  subscribe(subject: string, handler: (data: Buffer) => void): void
  /** Counts what `/metrics` and `fleet status` show. */
  count(name: string, by?: number): void
  /** Counts what failed and is tried again, and logs it once a minute. */
  onFailure(what: string, error: unknown): void
  /** Notifies the counterpart of keys and counters in the front thread. */
  notifyFront(message: ToFront): void
}

/**
 * A part of the fleet thread beside presence, heads and transactions, from when NATS is reached for the first time: keys
 * and counters, work. What it cannot do now it tries again by itself: nothing that it throws stops the others.
 */
export interface FleetPart {
  stop?(): Promise<void>
  /** The connection to NATS was lost and is back: what was watched may have a gap. */
  reconnected?(): void
  /** The set of present members has changed. */
  presentChanged?(): void
  /** A message of the front thread about keys and counters. */
  fromFront?(message: FromFront): void
  /** A template that the chain thread built (fleet.md §9). */
  announceWork?(template: Buffer): void
}
