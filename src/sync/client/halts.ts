import type { Logger } from '../../observe/logger.ts'
import type { Peer } from '../../p2p/peer.ts'
import type { BlockRefusal, SyncChain } from '../syncChain.ts'
import type { SyncLimits } from './limits.ts'
import { type BlamedPeer, isLie, type RefusedBranches } from './refusedBranches.ts'

/** A block that this node refuses and independent peers with more work insist on. */
export interface Halt extends BlockRefusal {
  /** Independent peers whose chain contains it. */
  readonly insisting: number
}

/** Inputs and listeners. */
export interface HaltsOptions {
  readonly chain: Pick<SyncChain, 'tip'>
  readonly refused: RefusedBranches
  readonly limits: Pick<SyncLimits, 'insisting'>
  readonly logger?: Logger
  /** Called when a peer failed. */
  onFailed(peer: Peer): void
  /** Called to revoke the scores of peers. */
  onForgiven(peers: readonly BlamedPeer[]): void
  /** Called when synchronisation halts at a block, or resumes (null). */
  onHalt(halt: Halt | null): void
}

/** Larger than the work of any chain. */
const HEAVIEST = 1n << 256n

/**
 * Decides whether a rejected block is the fault of the peers that sent it, or may be our own: then
 * synchronisation halts at it.
 */
export class Halts {
  readonly #options: HaltsOptions
  #halt: Halt | null = null
  /** Weight of the heaviest branch that peers insist on while synchronisation is halted. */
  #insistedWeight = 0n

  constructor(options: HaltsOptions) {
    this.#options = options
  }

  /** The block at which synchronisation halted. */
  get halt(): Halt | null {
    return this.#halt
  }

  /** Total difficulty that a branch must exceed to be worth following. */
  get threshold(): bigint {
    const { totalDifficulty } = this.#options.chain.tip
    return this.#halt !== null && this.#insistedWeight > totalDifficulty
      ? this.#insistedWeight
      : totalDifficulty
  }

  /** Halts for good: no descendant of an invalid block of our own chain is worth following. */
  stopAt(refusal: BlockRefusal): void {
    this.#halt = { ...refusal, insisting: 0 }
    this.#insistedWeight = HEAVIEST
    this.#options.onHalt(this.#halt)
  }

  /**
   * Peers announce a chain with a block that ours rejects: they are scored, unless too many announce the
   * same.
   */
  insisted(refusal: BlockRefusal, offering: readonly Peer[], leader: Peer, weight: bigint): void {
    const { chain, limits, refused, onFailed } = this.#options
    onFailed(leader)
    if (isLie(refusal)) {
      leader.score('invalidBlock')
      return
    }
    let insisting = 0
    for (const peer of offering) {
      if ((peer.status?.totalDifficulty ?? 0n) <= chain.tip.totalDifficulty) continue
      insisting = refused.insist(refusal.hash, peer)
    }
    if (this.#halt === null && insisting < limits.insisting) {
      refused.scored(refusal.hash, leader)
      leader.score('invalidBlock')
      return
    }
    if (weight > this.#insistedWeight) this.#insistedWeight = weight
    if (this.#halt === null) this.#stop({ ...refusal, insisting })
  }

  /** A branch without that block is heavier than those with it: the network took another way. */
  resume(): void {
    if (this.#halt === null) return
    this.#halt = null
    this.#insistedWeight = 0n
    this.#options.onHalt(null)
  }

  #stop(halt: Halt): void {
    const { logger, refused, onForgiven, onHalt } = this.#options
    // It may be our fault: the peers that announced it first did no worse than the later ones.
    onForgiven(refused.takeScored(halt.hash))
    this.#halt = halt
    logger?.error({ number: halt.number, rule: halt.rule }, 'peers insist on a block that is refused here')
    onHalt(halt)
  }
}
