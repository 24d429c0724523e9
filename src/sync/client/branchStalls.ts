import type { Peer } from '../../p2p/peer.ts'
import { reasonOf, type Stall, stallOf } from '../halt/stall.ts'
import type { Stalls } from '../halt/stalls.ts'
import type { CommitReport } from './blockFeed.ts'
import type { Branch, CheckedHeader } from './branch.ts'
import type { ConnectionPoint } from './connectionPoint.ts'

/** The branch of a session as far as it matters to what it can end at. */
export interface StalledBranch {
  readonly branch: Pick<Branch, 'work'>
  /** True when its headers prove that it may be heavier than the chain. */
  readonly outweighs: boolean
  /** Peers that have it. */
  readonly peers: readonly Peer[]
}

/** Reason why a commit ended early through no fault of the block. */
type UnjudgedEnd = Exclude<NonNullable<CommitReport['end']>, { readonly status: 'refused' }>

/** Records what a session could not get past, through no fault of a peer that is proven. */
export class BranchStalls {
  readonly #stalls: Pick<Stalls, 'record'>
  readonly #branch: () => StalledBranch

  constructor(stalls: Pick<Stalls, 'record'>, branch: () => StalledBranch) {
    this.#stalls = stalls
    this.#branch = branch
  }

  /** A block could not be judged, or the chain has not what that takes. */
  unjudged(end: UnjudgedEnd): void {
    const { number, hash } = end.block.header
    const { branch, peers } = this.#branch()
    const details = { number, hash, peers, isCertain: true, work: branch.work }
    const isTooOld = end.status === 'unconnected' && end.isTooOld
    if (end.status === 'undecided')
      this.#stalls.record(stallOf('undecidedBlock', { ...details, reason: end.reason }))
    else if (isTooOld) this.#stalls.record(stallOf('missingState', { ...details, reason: 'it is not kept' }))
    else this.#stalls.record(stallOf('internalError', { ...details, reason: 'its parent is not stored' }))
  }

  /** A peer sent a body that is not the one of a header, as far as this node can see. */
  misfit(peer: Peer, { number, hash }: CheckedHeader): void {
    const reason = 'its body is another one'
    const { work } = this.#branch().branch
    this.#stalls.record(stallOf('refusedHeader', { number, hash, reason, peers: [peer], work }))
  }

  /** The chain of the peers is another one where ours begins. */
  differs(point: ConnectionPoint): void {
    const { peers } = this.#branch()
    const reason = 'peers have another block there'
    this.#stalls.record(stallOf('missingState', { ...point, reason, peers }))
  }

  /** A block of our chain cannot be read from the store. */
  unreadable(number: number): void {
    const { peers } = this.#branch()
    const reason = `block ${number} of its own chain cannot be read`
    this.#stalls.record(stallOf('internalError', { number, reason, peers, isCertain: true }))
  }

  /**
   * Blocks beside the chain, or headers that wait for them, take all that they may.
   * @param base height at which the branch leaves the chain
   * @param head total difficulty of the chain
   * @returns whether the branch is proven to be heavier nonetheless
   */
  tooLong(base: number, head: bigint): boolean {
    const { branch, peers } = this.#branch()
    const isCertain = branch.work > head
    const work = isCertain ? branch.work : null
    const reason = `it leaves the chain at block ${base}`
    this.#stalls.record(stallOf('sideBlockLimit', { reason, peers, isCertain, work }))
    return isCertain
  }

  /** This node failed at no block in particular: peers cause that only with a branch that proves its work. */
  broke(error: unknown): void {
    const { branch, outweighs, peers } = this.#branch()
    const work = outweighs ? branch.work : null
    const stall: Stall = stallOf('internalError', {
      reason: reasonOf(error),
      peers,
      isCertain: outweighs,
      work,
      error,
    })
    this.#stalls.record(stall)
  }
}
