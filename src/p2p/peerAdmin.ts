import type { EnodeAddress } from './identity/enode.ts'
import type { PeerScore } from './scoring/peerScore.ts'

/** This node as peers know it. */
export interface OwnNode {
  /** Node id, 128 hex digits. */
  readonly id: string
  /** What it calls itself. */
  readonly client: string
  /** Address under which it believes to be reached; the one it listens on where nothing better is known. */
  readonly address: string
  /** TCP and UDP alike; 0 while it does not listen. */
  readonly port: number
  /** Address that connections are taken on; null while none are. */
  readonly listensOn: string | null
  /** Whether it looks for others by UDP. */
  readonly discovers: boolean
  /** What peers have to have in common with it (p2p.md §0). */
  readonly networkId: number
}

/** A connected peer. */
export interface PeerInfo {
  /** Node id, 128 hex digits. */
  readonly id: string
  /** IP address of the other end, and the port that it says it listens on. */
  readonly address: string
  readonly port: number
  readonly inbound: boolean
  readonly trusted: boolean
  /** Whether it was named by the operator, who wants it to be connected always. */
  readonly static: boolean
  /** What it calls itself. */
  readonly client: string
  /** Name and version, e.g. `rsk/62`. */
  readonly capabilities: readonly string[]
  /** Height, hash (64 hex digits) and total difficulty of its head as it last said; null until it did. */
  readonly head: {
    readonly number: number
    readonly hash: string
    readonly totalDifficulty: bigint | null
  } | null
}

/**
 * What operators ask of the peers and change of them. Peers live in a thread of their own, so that all of it is
 * asynchronous and what goes in and out is plain data.
 */
export interface PeerAdmin {
  /** null for a node without peers. */
  self(): Promise<OwnNode | null>
  peers(): Promise<readonly PeerInfo[]>
  /** Keeps a connection to a node from now on. @returns false for a node without peers, and for itself */
  add(peer: EnodeAddress): Promise<boolean>
  /** Drops a node by its id and does not keep a connection to it any more. @returns whether there was one */
  remove(id: string): Promise<boolean>
  /** The behaviour of nodes and addresses, nodes first. */
  scores(): Promise<readonly PeerScore[]>
  /** Forgets the behaviour of a node or address; returns the rest. */
  clearScore(id: string): Promise<readonly PeerScore[]>
  /** Banned addresses, then blocks of them. */
  bans(): Promise<readonly string[]>
  /** Bans an address, a block or what a host name resolves to. @returns false for what cannot be banned */
  ban(text: string): Promise<boolean>
  /** Lifts a ban. @returns false for what cannot be banned */
  unban(text: string): Promise<boolean>
}
