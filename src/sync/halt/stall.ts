import type { Peer } from '../../p2p/peer.ts'
import { type Halt, type HaltCause, haltBy } from './halt.ts'

/** Something that kept a branch from being followed, through no fault of a peer that is proven. */
export interface Stall extends Omit<Halt, 'insisting'> {
  /**
   * Whether it is this node that fails, at a branch whose headers prove more work than that of the chain.
   * Otherwise peers may have made it up: it counts once independent ones say the same, or the chain has not
   * gone on for long.
   */
  readonly isCertain: boolean
  /** Least total difficulty of the branch that its headers prove; null where nothing is proven. */
  readonly work: bigint | null
  /** Peers whose branch it is. */
  readonly peers: readonly Peer[]
  /** The key that distinguishes it from others where the hash of no block does. */
  readonly key?: string
  /** The thrown value, for the log. */
  readonly error?: unknown
}

/** A stall that peers may have made up, unless details say otherwise. */
export function stallOf(
  cause: HaltCause,
  details: Partial<Omit<Stall, 'cause'>> & Pick<Stall, 'reason' | 'peers'>,
): Stall {
  return { ...haltBy(cause, details.reason), isCertain: false, work: null, ...details }
}

/** The text of whatever was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
