import type { BlockIdentifier } from '../../p2p/messages/rskMessage.ts'
import type { Peer } from '../../p2p/peer.ts'
import type { SyncChain } from '../syncChain.ts'
import type { SyncLimits } from './limits.ts'

/** Most peers that are asked for their best block while a gap is small. */
const MAX_ASKED = 2

/** Dependencies of a {@link SmallGap}. */
export interface SmallGapDeps {
  readonly chain: Pick<SyncChain, 'tip'>
  readonly limits: Pick<SyncLimits, 'missingAncestors' | 'grace'>
  /** Milliseconds, steady. */
  readonly now: () => number
  /** Peers that claim more work than our head, best first. */
  leaders(): readonly Peer[]
  /** Called with the best block of a peer. */
  announced(peer: Peer, blocks: readonly BlockIdentifier[]): void
}

/** A small gap closes by single blocks; only when it does not, the branch is fetched as a whole. */
export class SmallGap {
  readonly #deps: SmallGapDeps
  #since: number | null = null

  constructor(deps: SmallGapDeps) {
    this.#deps = deps
  }

  /** Our head is at the tip. */
  closed(): void {
    this.#since = null
  }

  /** True when single blocks are still waited for, instead of the branch of a leader. */
  isWaiting({ status }: Peer): boolean {
    const { chain, limits, now, leaders, announced } = this.#deps
    if ((status?.bestNumber ?? 0) - chain.tip.number > limits.missingAncestors) return false
    if (this.#since === null) {
      this.#since = now()
      for (const peer of leaders().slice(0, MAX_ASKED)) {
        if (peer.status === null) continue
        announced(peer, [{ hash: peer.status.bestHash, number: peer.status.bestNumber }])
      }
    }
    if (now() - this.#since < limits.grace) return true
    this.#since = null
    return false
  }
}
