import type { Logger } from '../../observe/logger.ts'
import type { Peer } from '../../p2p/peer.ts'
import { describeHalt, type Halt, haltFields } from '../halt/halt.ts'
import { type Stall, stallOf } from '../halt/stall.ts'
import type { Stalls } from '../halt/stalls.ts'
import type { BlockRefusal, SyncChain } from '../syncChain.ts'
import type { SyncLimits } from './limits.ts'
import { type BlamedPeer, isLie, type RefusedBranches } from './refusedBranches.ts'

/** Inputs and listeners. */
export interface HaltsOptions {
  readonly chain: Pick<SyncChain, 'tip'>
  readonly refused: RefusedBranches
  /** Record of blocks that too few peers insist on. */
  readonly stalls: Pick<Stalls, 'record' | 'drop'>
  readonly limits: Pick<SyncLimits, 'insisting'>
  readonly logger?: Logger
  /** Called when a peer failed. */
  onFailed(peer: Peer): void
  /** Called to revoke the scores of peers. */
  onForgiven(peers: readonly BlamedPeer[]): void
  /** Called when synchronisation halts at a block, or resumes. */
  onChange(): void
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
    this.#insistedWeight = HEAVIEST
    this.#halted(haltAt('ownBlock', refusal, 0))
  }

  /**
   * Peers announce a chain with a block that ours rejects: they are scored, unless too many announce the
   * same.
   */
  insisted(refusal: BlockRefusal, offering: readonly Peer[], leader: Peer, weight: bigint): void {
    const { chain, limits, refused, stalls, onFailed } = this.#options
    onFailed(leader)
    if (isLie(refusal)) {
      stalls.record(doubtOf(refusal, offering))
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
      stalls.record(doubtOf(refusal, offering))
      leader.score('invalidBlock')
      return
    }
    if (weight > this.#insistedWeight) this.#insistedWeight = weight
    if (this.#halt === null) this.#stop(refusal, insisting)
  }

  /** A branch without that block is heavier than those with it: the network took another way. */
  resume(): void {
    if (this.#halt === null) return
    this.#halt = null
    this.#insistedWeight = 0n
    this.#options.logger?.info('peers went on without the block that this node refuses')
    this.#options.onChange()
  }

  #stop(refusal: BlockRefusal, insisting: number): void {
    const { refused, stalls, onForgiven } = this.#options
    // It may be our fault: the peers that announced it first did no worse than the later ones.
    onForgiven(refused.takeScored(refusal.hash))
    stalls.drop(refusal.hash)
    this.#halted(haltAt('refusedBlock', refusal, insisting))
  }

  #halted(halt: Halt): void {
    this.#halt = halt
    this.#options.logger?.error(haltFields(halt), describeHalt(halt))
    this.#options.onChange()
  }
}

function haltAt(cause: 'refusedBlock' | 'ownBlock', refusal: BlockRefusal, insisting: number): Halt {
  return { cause, ...refusal, reason: textOf(refusal), insisting }
}

/** A refused block of which it is not known yet whose fault it is. */
function doubtOf(refusal: BlockRefusal, peers: readonly Peer[]): Stall {
  return stallOf('refusedBlock', { ...refusal, reason: textOf(refusal), peers })
}

function textOf({ rule, expected, found }: BlockRefusal): string {
  return `it breaks ${rule}: expected ${expected}, found ${found}`
}
