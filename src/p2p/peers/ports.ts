import type { Socket } from 'node:net'
import type { Connection } from '../connection/connection.ts'
import type { ChainStatus } from '../messages/rskMessage.ts'
import type { ScoreEventName } from '../scoring/scoreEvents.ts'

/** Another node: its id as 128 hex digits, its IP address and its port. */
export interface PeerAddress {
  readonly id: string
  readonly address: string
  readonly port: number
}

/** Scores of peers, and the punishments that follow (p2p.md §8). */
export interface PeerJudge {
  /** @param peer its id is null while unknown */
  record(peer: { readonly id: string | null; readonly address: string }, event: ScoreEventName): void
  /** True when an address is banned or punished. */
  refusesAddress(address: string): boolean
  /** True when a node id is banned or punished. */
  refusesNode(id: string): boolean
  /** Its score (p2p.md §8). */
  score(id: string): number
}

/** Source of nodes to dial. */
export interface CandidateSource {
  /** Any number of them, in any order. */
  candidates(): readonly PeerAddress[] | Promise<readonly PeerAddress[]>
}

/**
 * Makes connections: TCP, the RLPx handshake and HELLO. Each call has a timeout, and can be aborted by the
 * signal.
 */
export interface PeerTransport {
  dial(target: PeerAddress, signal: AbortSignal): Promise<Connection>
  accept(socket: Socket, signal: AbortSignal): Promise<Connection>
}

/** Announced properties of this node. */
export interface LocalChain {
  readonly networkId: number
  /** 32 bytes. */
  readonly genesisHash: Buffer
  /** All four elements. */
  status(): ChainStatus & { readonly bestParentHash: Buffer; readonly totalDifficulty: bigint }
}
