import type { Logger } from '../../observe/logger.ts'
import type { Peer } from '../../p2p/peer.ts'
import type { BlockRefusal, SyncChain } from '../syncChain.ts'
import type { SyncLimits } from './limits.ts'
import { type BlamedPeer, isLie, type RefusedBranches } from './refusedBranches.ts'

/** A block that this node refuses and independent peers with more work insist on. */
export interface Halt extends BlockRefusal {
  /** Independent peers that offer a chain with it. */
  readonly insisting: number
}

/** What is decided with, and who is told. */
export interface HaltsOptions {
  readonly chain: Pick<SyncChain, 'tip'>
  readonly refused: RefusedBranches
  readonly limits: Pick<SyncLimits, 'insisting'>
  readonly logger?: Logger
  /** A peer did not do its part. */
  onFailed(peer: Peer): void
  /** What these peers were scored for is not to count. */
  onForgiven(peers: readonly BlamedPeer[]): void
  /** Synchronisation stops at a block, or goes on again (null). */
  onHalt(halt: Halt | null): void
}

/** More work than any chain has. */
const HEAVIEST = 1n << 256n

/** Whether a refused block is a lie of who sent it, or may be our fault: then synchronisation stops at it. */
export class Halts {
  readonly #options: HaltsOptions
  #halt: Halt | null = null
  /** Weight of the heaviest branch that peers insist on while synchronisation is halted. */
  #insistedWeight = 0n

  constructor(options: HaltsOptions) {
    this.#options = options
  }

  /** The block that synchronisation stopped at. */
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

  /** Stops for good: nothing that stands on a block of the own chain that is wrong is worth more. */
  stopAt(refusal: BlockRefusal): void {
    this.#halt = { ...refusal, insisting: 0 }
    this.#insistedWeight = HEAVIEST
    this.#options.onHalt(this.#halt)
  }

  /** Peers offer a chain with a block that ours refuses: who sent it is scored, unless too many say the same. */
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

  /** A branch without that block weighs more than what peers insist on: the network went another way. */
  resume(): void {
    if (this.#halt === null) return
    this.#halt = null
    this.#insistedWeight = 0n
    this.#options.onHalt(null)
  }

  #stop(halt: Halt): void {
    const { logger, refused, onForgiven, onHalt } = this.#options
    // It may be our fault: those who came with it first did no worse than those who come now.
    onForgiven(refused.takeScored(halt.hash))
    this.#halt = halt
    logger?.error({ number: halt.number, rule: halt.rule }, 'peers insist on a block that is refused here')
    onHalt(halt)
  }
}
