import type { Peer, PeerSet } from '../../p2p/peer.ts'
import { independenceOf } from '../../p2p/peers/networkGroup.ts'
import type { SyncChain } from '../syncChain.ts'

/**
 * Time for which headers that were proven count after their peer is gone, milliseconds: the next peer shows
 * them again within it, also when a branch is tried again after the longest pause (`SyncLimits`).
 */
const PROVEN_MEMORY = 120_000

/** Sources of a {@link NetworkHeight}. */
export interface NetworkHeightDeps {
  readonly chain: Pick<SyncChain, 'tip'>
  readonly peers: PeerSet
  /** Independent peers that are believed without a proof. */
  readonly believed: number
  /** Milliseconds, steady. */
  readonly now: () => number
  /** Peers that claim more work than our head, without those that lately failed to show it. */
  claimants(peers: readonly Peer[]): readonly Peer[]
  /** True when a peer showed the header of the best block that it claims, with its proof of work. */
  hasShown(peer: Peer): boolean
}

/**
 * The height of the network as far as no single stranger can make it up: headers with proof of work that stand
 * on our chain and outweigh it; what independent peers say; what a peer that the operator chose says and shows.
 */
export class NetworkHeight {
  readonly #deps: NetworkHeightDeps
  #proven: { readonly number: number; readonly work: bigint; readonly at: number } | null = null

  constructor(deps: NetworkHeightDeps) {
    this.#deps = deps
  }

  /**
   * Records headers on our chain that were checked. Call it again as long as they are being followed.
   * @param number height of the highest
   * @param work lower bound of the total difficulty up to it
   */
  proved(number: number, work: bigint): void {
    if (work > this.#deps.chain.tip.totalDifficulty) this.#proven = { number, work, at: this.#deps.now() }
  }

  /** The highest block that the network is known to have; that of our head when nothing is above it. */
  get highest(): number {
    const { tip } = this.#deps.chain
    return Math.max(tip.number, this.#provenHeight(tip.totalDifficulty), this.#claimedHeight())
  }

  #provenHeight(head: bigint): number {
    const proven = this.#proven
    if (proven === null || proven.work <= head) return 0
    return this.#deps.now() - proven.at <= PROVEN_MEMORY ? proven.number : 0
  }

  #claimedHeight(): number {
    const { peers, believed, claimants, hasShown } = this.#deps
    const highest = new Map<string, number>()
    let shown = 0
    for (const peer of claimants(peers.peers)) {
      const number = peer.status?.bestNumber ?? 0
      const who = independenceOf(peer)
      highest.set(who, Math.max(number, highest.get(who) ?? 0))
      if (peer.trusted && hasShown(peer)) shown = Math.max(shown, number)
    }
    const said = [...highest.values()].sort((a, b) => b - a)[believed - 1] ?? 0
    return Math.max(shown, said)
  }
}
