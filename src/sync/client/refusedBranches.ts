import type { BlockRule } from '../../chain/validation/blockRules.ts'
import type { Peer } from '../../p2p/peer.ts'
import { networkGroup } from '../../p2p/peers/networkGroup.ts'
import type { BlockRefusal } from '../syncChain.ts'

/** Refused blocks that are remembered, and peers that are counted for each. */
const MOST_REFUSED = 64
const MOST_INSISTING = 64

/**
 * Rules that a header or body shows to be broken whatever the state is, and that were checked before the chain was
 * asked: only a liar offers such a block.
 */
const LIES: ReadonlySet<BlockRule> = new Set<BlockRule>([
  'encoding',
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

/** Whether a refusal shows that whoever offered the block lied, not that we may be wrong. */
export function isLie({ rule }: Pick<BlockRefusal, 'rule'>): boolean {
  return LIES.has(rule)
}

interface Refused {
  readonly refusal: BlockRefusal
  /** Blocks of addresses, or trusted peers, that offer a chain with it that has more work than ours. */
  readonly insisting: Set<string>
  /** Who was scored for it, by node id. */
  readonly scored: Map<string, BlamedPeer>
}

/** A peer that was scored, which may be gone since. */
export type BlamedPeer = Pick<Peer, 'id' | 'address'>

/**
 * Blocks that this chain refused, with those who insist on them: their branches are not fetched again. Work was
 * proved for each of them, so that nobody fills this for nothing; the oldest goes first.
 */
export class RefusedBranches {
  readonly #refused = new Map<string, Refused>()

  /** Remembers a block that was refused. */
  add(refusal: BlockRefusal): void {
    const key = refusal.hash.toString('hex')
    if (this.#refused.has(key)) return
    this.#refused.set(key, { refusal, insisting: new Set(), scored: new Map() })
    const oldest = this.#refused.keys().next()
    if (this.#refused.size > MOST_REFUSED && !oldest.done) this.#refused.delete(oldest.value)
  }

  /** Why a block was refused, if it was. */
  find(hash: Buffer): BlockRefusal | null {
    return this.#refused.get(hash.toString('hex'))?.refusal ?? null
  }

  /** Notes that a peer offers a chain with a refused block and with more work than ours. @returns how many do */
  insist(hash: Buffer, peer: Pick<Peer, 'id' | 'address' | 'trusted'>): number {
    const refused = this.#refused.get(hash.toString('hex'))
    if (refused === undefined) return 0
    const who = peer.trusted ? peer.id : networkGroup(peer.address)
    if (refused.insisting.size < MOST_INSISTING) refused.insisting.add(who)
    return refused.insisting.size
  }

  /** Notes that a peer was scored for a refused block. */
  scored(hash: Buffer, { id, address }: BlamedPeer): void {
    const refused = this.#refused.get(hash.toString('hex'))
    if (refused !== undefined && refused.scored.size < MOST_INSISTING) refused.scored.set(id, { id, address })
  }

  /** Peers that were scored for a block which this node may be wrong about. */
  takeScored(hash: Buffer): readonly BlamedPeer[] {
    const refused = this.#refused.get(hash.toString('hex'))
    const peers = [...(refused?.scored.values() ?? [])]
    refused?.scored.clear()
    return peers
  }
}
