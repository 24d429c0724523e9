import { parseBlockUnchecked } from '../../chain/codec/block.ts'
import type { BlockReference } from '../../chain/tables/blockKey.ts'
import type { PeerMessage } from '../../p2p/messages/rskMessage.ts'
import type { Peer, PeerSet } from '../../p2p/peer.ts'
import { StoredBlocks } from '../serve/storedBlocks.ts'
import type { SyncChain, TipChange } from '../syncChain.ts'
import { KnownItems } from './knownItems.ts'

/** Most blocks tracked per peer (p2p.md §6), and of all blocks received from peers. */
const BLOCKS_PER_PEER = 1000
const FOREIGN_BLOCKS = 4096

/** Most recent blocks of a change that are announced: a peer that lacks more requests the branch. */
const ANNOUNCED_BLOCKS = 16

/** Dependencies of the relay of blocks. */
export interface BlockRelayOptions {
  readonly chain: SyncChain
  readonly peers: PeerSet
  /** True when peers are far above: then nothing is relayed (p2p.md §6). */
  readonly isFarBehind: () => boolean
  /** A number from 0 to below 1. */
  readonly random: () => number
}

/** Announces new blocks to peers, and tracks who has which (p2p.md §6). */
export class BlockRelay {
  readonly #options: BlockRelayOptions
  readonly #blocks: StoredBlocks
  readonly #known = new WeakMap<Peer, KnownItems>()
  readonly #foreign = new KnownItems(FOREIGN_BLOCKS)

  constructor(options: BlockRelayOptions) {
    this.#options = options
    this.#blocks = new StoredBlocks(options.chain)
  }

  /** True when a peer is known to have a block. */
  has(peer: Peer, hash: Buffer): boolean {
    return this.#known.get(peer)?.has(hash) ?? false
  }

  /** Records that a peer has a block, or will: it was sent to it, requested from it, or announced by it. */
  record(peer: Peer, hash: Buffer): void {
    const known = this.#known.get(peer) ?? new KnownItems(BLOCKS_PER_PEER)
    this.#known.set(peer, known)
    known.add(hash)
  }

  /** True when a block was received from a peer, among those tracked. */
  isForeign(hash: Buffer): boolean {
    return this.#foreign.has(hash)
  }

  /** Records that a block was received from a peer, by whichever message: this node did not mine it. */
  recordForeign(hash: Buffer): void {
    this.#foreign.add(hash)
  }

  /** Records the blocks that a message shows its sender to have. */
  onMessage(peer: Peer, message: PeerMessage): void {
    switch (message.type) {
      case 'block': {
        const hash = hashOf(this.#options.chain, message.block)
        if (hash !== null) this.#recordReceived(peer, hash)
        return
      }
      case 'newBlockHashes':
        for (const { hash } of message.blocks.slice(-BLOCKS_PER_PEER)) this.#recordReceived(peer, hash)
        return
      case 'newBlockHash':
        this.#recordReceived(peer, message.hash)
        return
      case 'status':
        this.record(peer, message.status.bestHash)
        return
      case 'getBlock':
      case 'blockRequest':
        this.record(peer, message.hash)
        return
      default:
    }
  }

  /** Announces blocks that joined the chain. */
  onTip({ enacted }: TipChange): void {
    if (this.#options.isFarBehind() || enacted.length === 0) return
    this.#options.chain.refresh()
    const newest = enacted.slice(-ANNOUNCED_BLOCKS)
    for (const block of newest) this.#sendWhole(block)
    const own = newest.filter(({ hash }) => !this.#foreign.has(hash))
    const withheld = new Set(own.filter((block) => !this.#spread(block)))
    this.#announce(newest.filter((block) => !withheld.has(block)))
  }

  /** Trusted peers get every block whole, whoever made it: they need not ask for it (fleet.md §5). */
  #sendWhole(block: BlockReference): void {
    const lacking = this.#options.peers.peers.filter((peer) => peer.trusted && !this.has(peer, block.hash))
    if (lacking.length === 0) return
    const encoded = this.#blocks.encoded(block)
    if (encoded === null) return
    for (const peer of lacking)
      if (peer.send({ type: 'block', block: encoded })) this.record(peer, block.hash)
  }

  /**
   * Sends a whole block of this node to some peers. @returns false for one that no other node would accept
   */
  #spread(block: BlockReference): boolean {
    const encoded = this.#blocks.encoded(block)
    if (encoded === null) return false
    const { peers } = this.#options.peers
    const lacking = shuffled(peers, this.#options.random).filter((peer) => !this.has(peer, block.hash))
    for (const peer of lacking.slice(0, Math.floor(Math.sqrt(peers.length)))) {
      if (peer.send({ type: 'block', block: encoded })) this.record(peer, block.hash)
    }
    return true
  }

  #announce(blocks: readonly BlockReference[]): void {
    for (const peer of this.#options.peers.peers) {
      const lacking = blocks.filter(({ hash }) => !this.has(peer, hash))
      if (lacking.length === 0 || peer.status === null) continue
      const identifiers = lacking.map(({ hash, number }) => ({ hash, number }))
      if (!peer.send({ type: 'newBlockHashes', blocks: identifiers })) continue
      for (const { hash } of lacking) this.record(peer, hash)
    }
  }

  #recordReceived(peer: Peer, hash: Buffer): void {
    this.record(peer, hash)
    this.recordForeign(hash)
  }
}

/** Wraps a chain to report blocks before they are connected, unless there are more than a few. */
export function watchConnects(chain: SyncChain, onBlock: (hash: Buffer) => void): SyncChain {
  return new Proxy(chain, {
    get(target, name) {
      if (name === 'connect') {
        return (blocks: readonly Buffer[]) => {
          // With many blocks the node is too far behind to relay any but the last ones.
          for (const block of blocks.slice(-ANNOUNCED_BLOCKS)) {
            const hash = hashOf(target, block)
            if (hash !== null) onBlock(hash)
          }
          return target.connect(blocks)
        }
      }
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** Hash of a block; null for malformed bytes, which are reported elsewhere. */
function hashOf({ spec }: SyncChain, block: Buffer): Buffer | null {
  try {
    return parseBlockUnchecked(spec, block).hash
  } catch {
    return null
  }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const order = [...items]
  for (let left = order.length; left > 1; left -= 1) {
    const other = Math.floor(random() * left)
    const [one, two] = [order[left - 1], order[other]] as [T, T]
    order[left - 1] = two
    order[other] = one
  }
  return order
}
