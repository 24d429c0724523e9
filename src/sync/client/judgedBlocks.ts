import type { Peer } from '../../p2p/peer.ts'
import type { SyncLimits } from './limits.ts'

/**
 * Blocks of peers that are being validated, bounded in bytes per peer and in total, because the chain may be
 * slow.
 */
export class JudgedBlocks {
  readonly #limits: Pick<SyncLimits, 'waitingBytesPerPeer' | 'waitingBytes'>
  readonly #blocks = new Map<string, { readonly peer: Peer; readonly bytes: number }>()

  constructor(limits: Pick<SyncLimits, 'waitingBytesPerPeer' | 'waitingBytes'>) {
    this.#limits = limits
  }

  /** Bytes of blocks that are being validated. */
  get bytes(): number {
    return this.#sum(() => true)
  }

  has(hashHex: string): boolean {
    return this.#blocks.has(hashHex)
  }

  /** @returns whether it fits; the first block of a peer always does */
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

  /** Few blocks are validated at once: mostly one per peer. */
  #sum(counts: (peer: Peer) => boolean): number {
    let sum = 0
    for (const { peer, bytes } of this.#blocks.values()) if (counts(peer)) sum += bytes
    return sum
  }
}
