import type { Peer } from '../../p2p/peer.ts'
import { ask } from './ask.ts'
import type { SyncLimits } from './limits.ts'
import { type ChunkPlan, planChunks } from './skeleton.ts'
import type { Suppliers } from './suppliers.ts'

/** Means of requesting skeletons. */
export interface SkeletonComparisonDeps {
  readonly suppliers: Suppliers
  readonly limits: Pick<SyncLimits, 'requestTimeout'>
  /** Peers that claim more work than our head, best first. */
  leaders(): readonly Peer[]
  /** Hash of the block of the branch, or of our chain below it, at a height. */
  known(number: number): Buffer | null
  /** True when a peer is excluded for the rest of the branch. */
  isFailed(peer: Peer): boolean
  /** Called with an internal error of a background request. */
  onError(error: unknown): void
}

/** The current skeleton. */
interface Round {
  readonly start: number
  readonly plan: readonly ChunkPlan[]
  readonly signal: AbortSignal
  /** Peers that were asked for their skeleton. */
  readonly compared: Set<Peer>
}

/** Finds the peers that have the branch of a leader, by comparing skeletons (p2p.md §5). */
export class SkeletonComparison {
  readonly #deps: SkeletonComparisonDeps
  #round: Round | null = null

  constructor(deps: SkeletonComparisonDeps) {
    this.#deps = deps
  }

  /**
   * The chunks above a height in the skeleton of a leader; the other peers are asked for theirs.
   * @returns an empty list when it has no more; 'fork' when it is of another chain, 'malformed' for a
   *   malformed one
   */
  async plan(
    leader: Peer,
    start: number,
    signal: AbortSignal,
  ): Promise<readonly ChunkPlan[] | 'fork' | 'silent' | 'failed' | 'malformed'> {
    const { limits, suppliers } = this.#deps
    // The reference does not respond beyond its best block (p2p.md §4).
    if (bestOf(leader) <= start) return []
    const answer = await ask<'skeletonRequest'>(
      leader,
      { type: 'skeletonRequest', startNumber: start },
      limits.requestTimeout,
      signal,
    )
    if (typeof answer === 'string') return answer === 'TIMEOUT' ? 'silent' : 'failed'
    const plan = planChunks(answer.blocks, start, (number) => this.#deps.known(number))
    if (plan === null) return 'malformed'
    if (plan === 'fork') return plan
    suppliers.limitTo(start)
    const end = plan.at(-1)
    if (end !== undefined) suppliers.agree(leader, end.number)
    this.#round = { start, plan, signal, compared: new Set([leader]) }
    for (const peer of this.#deps.leaders()) this.join(peer)
    return plan
  }

  /** Asks another peer for its skeleton: where it agrees, the peer has the branch. */
  async #compare(peer: Peer, { start, plan, signal, compared }: Round): Promise<void> {
    const { limits, suppliers } = this.#deps
    if (this.#deps.isFailed(peer) || bestOf(peer) <= start || peer.allowance <= 1) return
    compared.add(peer)
    const question = { type: 'skeletonRequest', startNumber: start } as const
    const answer = await ask<'skeletonRequest'>(peer, question, limits.requestTimeout, signal)
    // A busy peer is asked again when it announces its next status.
    if (answer === 'BUSY') compared.delete(peer)
    if (typeof answer === 'string') return
    const theirs = new Map(answer.blocks.map(({ number, hash }) => [number, hash]))
    const same = plan.findLast(({ number, hash }) => theirs.get(number)?.equals(hash) === true)
    if (same !== undefined) suppliers.agree(peer, same.number)
  }

  /**
   * Call it when a peer connected or announced a status: if its skeleton agrees with the current one, it
   * serves chunks from now on.
   */
  join(peer: Peer): void {
    const round = this.#round
    if (round === null || round.compared.has(peer) || !this.#deps.leaders().includes(peer)) return
    this.#compare(peer, round).catch(this.#deps.onError)
  }
}

/** The height that a peer announced. */
export function bestOf({ status }: Peer): number {
  return status?.bestNumber ?? 0
}
