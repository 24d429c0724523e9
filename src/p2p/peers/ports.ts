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

/** What peers did, and who is refused for it (p2p.md §8). */
export interface PeerJudge {
  /** @param peer its id is null as long as nobody knows it */
  note(peer: { readonly id: string | null; readonly address: string }, event: ScoreEventName): void
  /** Whether an address is banned or punished. */
  refusesAddress(address: string): boolean
  /** Whether a node id is banned or punished. */
  refusesNode(id: string): boolean
  /** Its score (p2p.md §8). */
  score(id: string): number
}

/** Nodes that might be dialled. */
export interface CandidateSource {
  /** Any number of them, in any order. */
  candidates(): readonly PeerAddress[] | Promise<readonly PeerAddress[]>
}

/** Makes connections: TCP, the RLPx handshake and HELLO. Each call ends by itself, and at once when the signal says so. */
export interface PeerTransport {
  dial(target: PeerAddress, signal: AbortSignal): Promise<Connection>
  accept(socket: Socket, signal: AbortSignal): Promise<Connection>
}

/** This node as it tells others. */
export interface LocalChain {
  readonly networkId: number
  /** 32 bytes. */
  readonly genesisHash: Buffer
  /** All four elements. */
  status(): ChainStatus & { readonly bestParentHash: Buffer; readonly totalDifficulty: bigint }
}
