import type { EnodeAddress } from './identity/enode.ts'
import type { PeerScore } from './scoring/peerScore.ts'

/** This node as seen by peers. */
export interface OwnNode {
  /** Node id, 128 hex digits. */
  readonly id: string
  /** Name of its client. */
  readonly client: string
  /** Its presumed public address; the one it listens on where nothing better is known. */
  readonly address: string
  /** TCP and UDP alike; 0 while it does not listen. */
  readonly port: number
  /** Address on which connections are accepted; null while none are. */
  readonly listensOn: string | null
  /** True when it discovers nodes over UDP. */
  readonly discovers: boolean
  /** Parameters that peers must share (p2p.md §0). */
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
  /** True when the operator configured it as a permanent peer. */
  readonly static: boolean
  /** Name of its client. */
  readonly client: string
  /** Name and version, e.g. `rsk/62`. */
  readonly capabilities: readonly string[]
  /** Height, hash (64 hex digits) and total difficulty in its last status; null before the first. */
  readonly head: {
    readonly number: number
    readonly hash: string
    readonly totalDifficulty: bigint | null
  } | null
}

/**
 * Administration of peers. They live in a thread of their own, so that all calls are asynchronous and
 * exchange plain data.
 */
export interface PeerAdmin {
  /** null for a node without peers. */
  self(): Promise<OwnNode | null>
  peers(): Promise<readonly PeerInfo[]>
  /** Keeps a connection to a node from now on. @returns false for a node without peers, and for itself */
  add(peer: EnodeAddress): Promise<boolean>
  /**
   * The other members of a fleet (fleet.md §5), in place of those before: trusted, as far as they are not the operator's
   * anyway.
   * @param connect those to keep a connection to
   * @param trusted all, from whose addresses connections are taken outside the limits
   */
  setMembers(connect: readonly EnodeAddress[], trusted: readonly EnodeAddress[]): Promise<void>
  /** Drops a node by its id and does not keep a connection to it any more. @returns whether there was one */
  remove(id: string): Promise<boolean>
  /** The behaviour of nodes and addresses, nodes first. */
  scores(): Promise<readonly PeerScore[]>
  /** Clears the behaviour of a node or address; returns the rest. */
  clearScore(id: string): Promise<readonly PeerScore[]>
  /** Banned addresses, then subnets. */
  bans(): Promise<readonly string[]>
  /** Bans an address, a subnet, or the addresses of a host name. @returns false for what cannot be banned */
  ban(text: string): Promise<boolean>
  /** Lifts a ban. @returns false for what cannot be banned */
  unban(text: string): Promise<boolean>
}
