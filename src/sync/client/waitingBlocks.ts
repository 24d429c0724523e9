import type { Block } from '../../chain/codec/block.ts'
import type { Peer } from '../../p2p/peer.ts'
import type { SyncLimits } from './limits.ts'

/** A block whose parent is missing. */
export interface WaitingBlock {
  readonly block: Block
  readonly encoded: Buffer
  readonly peer: Peer
  readonly since: number
}

/** Time that a block waits for its parent, milliseconds. */
const MAX_WAIT_MILLISECONDS = 60_000

/** Blocks of peers whose parents are missing, bounded in bytes per peer and in total. */
export class WaitingBlocks {
  readonly #limits: Pick<SyncLimits, 'waitingBytesPerPeer' | 'waitingBytes'>
  readonly #now: () => number
  readonly #blocks = new Map<string, WaitingBlock>()
  readonly #byParent = new Map<string, Set<string>>()
  readonly #bytesOf = new Map<Peer, number>()
  #bytes = 0

  /** @param now milliseconds, steady */
  constructor(limits: Pick<SyncLimits, 'waitingBytesPerPeer' | 'waitingBytes'>, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  get bytes(): number {
    return this.#bytes
  }

  has(hashHex: string): boolean {
    return this.#blocks.has(hashHex)
  }

  /** @returns whether it fitted */
  add(peer: Peer, block: Block, encoded: Buffer): boolean {
    this.#dropOld()
    const own = this.#bytesOf.get(peer) ?? 0
    const { waitingBytesPerPeer, waitingBytes } = this.#limits
    if (own + encoded.length > waitingBytesPerPeer || this.#bytes + encoded.length > waitingBytes)
      return false
    if (this.#blocks.has(block.hashHex)) return true
    this.#blocks.set(block.hashHex, { block, encoded, peer, since: this.#now() })
    this.#bytesOf.set(peer, own + encoded.length)
    this.#bytes += encoded.length
    const parent = block.header.parentHash.toString('hex')
    const siblings = this.#byParent.get(parent) ?? new Set()
    siblings.add(block.hashHex)
    this.#byParent.set(parent, siblings)
    return true
  }

  /** Hash of the lowest missing ancestor of a waiting block, and the number of blocks between. */
  missingBelow(block: Block): { hash: Buffer; waiting: number } {
    let { parentHash } = block.header
    let waiting = 1
    for (;;) {
      const parent = this.#blocks.get(parentHash.toString('hex'))
      if (parent === undefined) return { hash: parentHash, waiting }
      parentHash = parent.block.header.parentHash
      waiting += 1
    }
  }

  /** Removes and returns the blocks that waited for a block. */
  takeChildren(hashHex: string): WaitingBlock[] {
    return [...(this.#byParent.get(hashHex) ?? [])].flatMap((child) => this.#remove(child) ?? [])
  }

  /** Drops a block and all that wait on it. */
  dropDescendants(hashHex: string): void {
    const next = [hashHex]
    for (let hash = next.pop(); hash !== undefined; hash = next.pop()) {
      for (const { block } of this.takeChildren(hash)) next.push(block.hashHex)
    }
  }

  /** Drops the blocks of a peer. */
  peerGone(peer: Peer): void {
    for (const [hash, waiting] of this.#blocks) if (waiting.peer === peer) this.#remove(hash)
  }

  #dropOld(): void {
    for (const [hash, { since }] of this.#blocks) {
      if (this.#now() - since < MAX_WAIT_MILLISECONDS) return
      this.#remove(hash)
    }
  }

  #remove(hashHex: string): WaitingBlock | undefined {
    const waiting = this.#blocks.get(hashHex)
    if (waiting === undefined) return undefined
    const { block, encoded, peer } = waiting
    this.#blocks.delete(hashHex)
    this.#bytes -= encoded.length
    const own = (this.#bytesOf.get(peer) ?? 0) - encoded.length
    if (own > 0) this.#bytesOf.set(peer, own)
    else this.#bytesOf.delete(peer)
    const parent = block.header.parentHash.toString('hex')
    const siblings = this.#byParent.get(parent)
    siblings?.delete(hashHex)
    if (siblings?.size === 0) this.#byParent.delete(parent)
    return waiting
  }
}
