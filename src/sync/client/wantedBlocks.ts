import type { Peer } from '../../p2p/peer.ts'

interface Wanted {
  readonly hash: Buffer
  /** The peers that announced it; the first one was asked. */
  readonly peers: Peer[]
  askedAt: number
}

/** Most requested blocks, per peer and in total, and most further peers that are asked after a timeout. */
const MAX_OF_PEER = 64
const MAX_WANTED = 1024
const MAX_PEERS = 4
/** Timeout, milliseconds. */
const TIMEOUT = 5_000

/** Blocks that were requested with GET_BLOCK, whose response carries no id (p2p.md §4 types 3 and 2). */
export class WantedBlocks {
  readonly #now: () => number
  readonly #wanted = new Map<string, Wanted>()

  /** @param now milliseconds, steady */
  constructor(now: () => number) {
    this.#now = now
  }

  /** True when a block was requested. */
  has(hash: Buffer): boolean {
    return this.#wanted.has(hash.toString('hex'))
  }

  /** Requests a block from a peer, or records the peer when another one was asked. */
  ask(peer: Peer, hash: Buffer): void {
    const key = hash.toString('hex')
    const known = this.#wanted.get(key)
    if (known !== undefined) {
      if (known.peers.length < MAX_PEERS && !known.peers.includes(peer)) known.peers.push(peer)
      return
    }
    if (this.#wanted.size >= MAX_WANTED || this.#askedOf(peer) >= MAX_OF_PEER) return
    if (!peer.send({ type: 'getBlock', hash })) return
    this.#wanted.set(key, { hash, peers: [peer], askedAt: this.#now() })
  }

  /** A block arrived. @returns whether it was requested */
  came(hash: Buffer): boolean {
    return this.#wanted.delete(hash.toString('hex'))
  }

  /** Asks other peers for blocks whose requests timed out. */
  tick(): void {
    for (const [key, wanted] of this.#wanted) {
      if (this.#now() - wanted.askedAt < TIMEOUT) continue
      wanted.peers.shift()?.score('timeoutMessage')
      this.#askNext(key, wanted)
    }
  }

  peerGone(peer: Peer): void {
    for (const [key, wanted] of this.#wanted) {
      const wasAsked = wanted.peers[0] === peer
      const index = wanted.peers.indexOf(peer)
      if (index >= 0) wanted.peers.splice(index, 1)
      if (wasAsked) this.#askNext(key, wanted)
    }
  }

  #askNext(key: string, wanted: Wanted): void {
    const [next] = wanted.peers
    wanted.askedAt = this.#now()
    if (next?.send({ type: 'getBlock', hash: wanted.hash }) !== true) this.#wanted.delete(key)
  }

  #askedOf(peer: Peer): number {
    let count = 0
    for (const { peers } of this.#wanted.values()) if (peers[0] === peer) count += 1
    return count
  }
}
