import type { BlockRule } from '../../chain/validation/blockRules.ts'
import type { Peer } from '../../p2p/peer.ts'
import { independenceOf } from '../../p2p/peers/networkGroup.ts'
import type { BlockRefusal } from '../syncChain.ts'

/** Most rejected blocks that are remembered, and most peers counted for each. */
const MAX_REFUSED = 64
const MAX_INSISTING = 64

/**
 * Rules whose violation is evident from a header or body, independent of the state, and that were checked
 * before the block was passed to the chain: only a dishonest peer announces such a block. The encoding is none
 * of them: the header, which has its work, commits to the bytes of the body.
 */
const LIES: ReadonlySet<BlockRule> = new Set<BlockRule>([
  'transactionsRoot',
  'proofOfWork',
  'difficulty',
  'blockNumber',
  'gasLimitRange',
  'minimumGasPriceRange',
  'minimumGasLimit',
  'extraData',
  'timestamp',
])

/** True when a rejection proves that the peer was dishonest, rather than that this node may be wrong. */
export function isLie({ rule }: Pick<BlockRefusal, 'rule'>): boolean {
  return LIES.has(rule)
}

interface Refused {
  readonly refusal: BlockRefusal
  /** Subnets, or trusted peers, that announce a chain with it and more work than ours. */
  readonly insisting: Set<string>
  /** Peers that were scored for it, by node id. */
  readonly scored: Map<string, BlamedPeer>
}

/** A scored peer, which may have disconnected since. */
export type BlamedPeer = Pick<Peer, 'id' | 'address'>

/**
 * Blocks that this chain rejected, and the peers that announce them: their branches are not fetched again.
 * Each required a proof of work, so that filling this is costly; the oldest is evicted first.
 */
export class RefusedBranches {
  readonly #refused = new Map<string, Refused>()

  /** Adds a rejected block. */
  add(refusal: BlockRefusal): void {
    const key = refusal.hash.toString('hex')
    if (this.#refused.has(key)) return
    this.#refused.set(key, { refusal, insisting: new Set(), scored: new Map() })
    const oldest = this.#refused.keys().next()
    if (this.#refused.size > MAX_REFUSED && !oldest.done) this.#refused.delete(oldest.value)
  }

  /** Reason why a block was rejected, if it was. */
  find(hash: Buffer): BlockRefusal | null {
    return this.#refused.get(hash.toString('hex'))?.refusal ?? null
  }

  /**
   * Records that a peer announces a chain with a rejected block and with more work than ours. @returns the
   * number of such peers
   */
  insist(hash: Buffer, peer: Pick<Peer, 'id' | 'address' | 'trusted'>): number {
    const refused = this.#refused.get(hash.toString('hex'))
    if (refused === undefined) return 0
    if (refused.insisting.size < MAX_INSISTING) refused.insisting.add(independenceOf(peer))
    return refused.insisting.size
  }

  /** Records that a peer was scored for a rejected block. */
  scored(hash: Buffer, { id, address }: BlamedPeer): void {
    const refused = this.#refused.get(hash.toString('hex'))
    if (refused !== undefined && refused.scored.size < MAX_INSISTING) refused.scored.set(id, { id, address })
  }

  /** Peers that were scored for a block about which this node may be wrong. */
  takeScored(hash: Buffer): readonly BlamedPeer[] {
    const refused = this.#refused.get(hash.toString('hex'))
    const peers = [...(refused?.scored.values() ?? [])]
    refused?.scored.clear()
    return peers
  }
}
