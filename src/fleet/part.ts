import type { JetStreamClient } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from '../observe/logger.ts'
import type { FleetChainService, FleetFrontService, MemberId } from './interface.ts'
import type { FleetNames } from './nats/names.ts'

/** Answers the calls of a service. What it throws with a `kind` reaches the caller as a refusal with its message. */
export type FleetAnswerer = (payload: Buffer, from: MemberId) => Promise<Uint8Array>

/** Calls between members over core NATS. */
export interface FleetCallsPort {
  /** Answers a service on this member; returns a function that ends it. */
  serve(service: string, answer: FleetAnswerer): () => void
  /** @throws FleetError, CallRefusal */
  call(member: MemberId, service: string, payload: Uint8Array, milliseconds: number): Promise<Buffer>
}

/** The members that are there now. */
export interface FleetView {
  readonly self: MemberId
  /** True when NATS is reached. */
  readonly connected: boolean
  /** Other members that are present. */
  readonly others: readonly MemberId[]
  /** Calls a listener after every change of the above; returns a function that removes it. */
  onChange(listener: () => void): () => void
}

/** The parts that a {@link FleetPart} is given. */
export interface FleetPartContext {
  readonly nats: NatsConnection
  readonly jetstream: JetStreamClient
  readonly names: FleetNames
  readonly calls: FleetCallsPort
  readonly view: FleetView
  readonly chain: FleetChainService
  readonly front: FleetFrontService
  /** Data directory of the node. */
  readonly dataDir: string
  readonly log: Logger
  /** Subscribes; what throws in the handler is counted as skipped, logged once a minute, and stops nothing. */
  subscribe(subject: string, handler: (data: Buffer, subject: string) => void): () => void
  /** Counts what `/metrics` and `fleet status` show. */
  count(name: string, by?: number): void
  /** Tells the counterpart of this part in the front thread. */
  tellFront(message: unknown): void
}

/**
 * A part of the fleet thread beside presence, heads and transactions: keys and counters, filters, work. What a part
 * cannot do now it tries again by itself: nothing that it throws stops the others.
 */
export interface FleetPart {
  readonly name: string
  /** NATS is reached for the first time. */
  start(context: FleetPartContext): Promise<void>
  stop(): Promise<void>
  /** The connection to NATS was lost and is back: what was watched may have a gap. */
  reconnected?(): void
  /** A message of the front thread. */
  fromFront?(message: unknown): void
  /** A template that the chain thread built (fleet.md §9). */
  tellWork?(template: Buffer): void
}
