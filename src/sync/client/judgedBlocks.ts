import type { Peer } from '../../p2p/peer.ts'
import type { SyncLimits } from './limits.ts'

/** Blocks of peers that are being judged, bounded in bytes for each peer and in sum: the chain may be slow. */
export class JudgedBlocks {
  readonly #limits: Pick<SyncLimits, 'waitingBytesPerPeer' | 'waitingBytes'>
  readonly #blocks = new Map<string, { readonly peer: Peer; readonly bytes: number }>()

  constructor(limits: Pick<SyncLimits, 'waitingBytesPerPeer' | 'waitingBytes'>) {
    this.#limits = limits
  }

  /** Bytes that are being judged. */
  get bytes(): number {
    return this.#sum(() => true)
  }

  has(hashHex: string): boolean {
    return this.#blocks.has(hashHex)
  }

  /** @returns whether there is room; the first block of a peer always has its share */
  add(peer: Peer, hashHex: string, bytes: number): boolean {
    const { waitingBytesPerPeer, waitingBytes } = this.#limits
    const own = this.#sum((other) => other === peer)
    if (own > 0 && own + bytes > waitingBytesPerPeer) return false
    if (this.#blocks.size > 0 && this.bytes + bytes > waitingBytes) return false
    this.#blocks.set(hashHex, { peer, bytes })
    return true
  }

  remove(hashHex: string): void {
    this.#blocks.delete(hashHex)
  }

  /** Blocks that are judged are few: one of each peer, mostly. */
  #sum(counts: (peer: Peer) => boolean): number {
    let sum = 0
    for (const { peer, bytes } of this.#blocks.values()) if (counts(peer)) sum += bytes
    return sum
  }
}
