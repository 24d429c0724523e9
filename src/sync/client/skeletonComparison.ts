import type { Peer } from '../../p2p/peer.ts'
import { ask } from './ask.ts'
import type { SyncLimits } from './limits.ts'
import { type ChunkPlan, planChunks } from './skeleton.ts'
import type { Suppliers } from './suppliers.ts'

/** What skeletons are asked for with. */
export interface SkeletonComparisonDeps {
  readonly suppliers: Suppliers
  readonly limits: Pick<SyncLimits, 'requestTimeout'>
  /** Peers that claim more work than our head, best first. */
  leaders(): readonly Peer[]
  /** Hash of the block of the branch, or of our chain below it, at a height. */
  known(number: number): Buffer | null
  /** Whether a peer is left alone for the rest of the branch. */
  isFailed(peer: Peer): boolean
  /** What was asked aside failed within this node. */
  onError(error: unknown): void
}

/** The skeleton that is followed now. */
interface Round {
  readonly start: number
  readonly plan: readonly ChunkPlan[]
  readonly signal: AbortSignal
  /** Peers that were asked for theirs. */
  readonly compared: Set<Peer>
}

/** Who has the branch that a leader offers, as far as skeletons tell it (p2p.md §5). */
export class SkeletonComparison {
  readonly #deps: SkeletonComparisonDeps
  #round: Round | null = null

  constructor(deps: SkeletonComparisonDeps) {
    this.#deps = deps
  }

  /**
   * The chunks above a height as the skeleton of a leader names them; the others are asked for theirs.
   * @returns empty when it has no more; 'fork' when it is of another chain, 'malformed' when it breaks its form
   */
  async plan(
    leader: Peer,
    start: number,
    signal: AbortSignal,
  ): Promise<readonly ChunkPlan[] | 'fork' | 'failed' | 'malformed'> {
    const { limits, suppliers } = this.#deps
    // Beyond its best block the reference answers nothing (p2p.md §4).
    if (bestOf(leader) <= start) return []
    const answer = await ask<'skeletonRequest'>(
      leader,
      { type: 'skeletonRequest', startNumber: start },
      limits.requestTimeout,
      signal,
    )
    if (typeof answer === 'string') return 'failed'
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

  /** Asks another peer for its skeleton: as far as it is the same, the peer has the branch. */
  async #compare(peer: Peer, { start, plan, signal, compared }: Round): Promise<void> {
    const { limits, suppliers } = this.#deps
    if (this.#deps.isFailed(peer) || bestOf(peer) <= start || peer.allowance <= 1) return
    compared.add(peer)
    const question = { type: 'skeletonRequest', startNumber: start } as const
    const answer = await ask<'skeletonRequest'>(peer, question, limits.requestTimeout, signal)
    // Whoever was busy is asked again when it tells its state the next time.
    if (answer === 'BUSY') compared.delete(peer)
    if (typeof answer === 'string') return
    const theirs = new Map(answer.blocks.map(({ number, hash }) => [number, hash]))
    const same = plan.findLast(({ number, hash }) => theirs.get(number)?.equals(hash) === true)
    if (same !== undefined) suppliers.agree(peer, same.number)
  }

  /** A peer came, or told its state: as far as its skeleton is the one that is followed, it helps from now on. */
  join(peer: Peer): void {
    const round = this.#round
    if (round === null || round.compared.has(peer) || !this.#deps.leaders().includes(peer)) return
    this.#compare(peer, round).catch(this.#deps.onError)
  }
}

/** The height that a peer said it has. */
export function bestOf({ status }: Peer): number {
  return status?.bestNumber ?? 0
}
