import type { Peer } from '../../p2p/peer.ts'
import type { CheckedHeader } from './branch.ts'

/** The slot of one block between its header and the chain. */
export interface Slot {
  readonly header: CheckedHeader
  state: 'wanted' | 'asked' | 'here'
  /** RLP of the block once it was received. */
  block: Buffer | null
  /** The peer that sent it. */
  giver: Peer | null
  /** Open requests for it, and the time of the latest (milliseconds). */
  open: number
  askedAt: number
  /** The peer that was asked last. */
  asked: Peer | null
  /** Rounds in which no peer provided it. */
  rounds: number
  /** Peers that did not provide it. */
  readonly tried: Set<Peer>
}

/** A block that can be connected. */
export interface ReadyBlock {
  readonly header: CheckedHeader
  readonly block: Buffer
  readonly giver: Peer
}

/** Assumed block size until some were received. */
const FIRST_GUESS = 4096
/** Weight of the latest block in the estimate. */
const GUESS_STEP = 0.05

/**
 * The blocks of a branch that are to be downloaded, in order: received blocks wait in memory for those below
 * them. Requests are bounded by their expected bytes, estimated from received blocks.
 */
export class DownloadWindow {
  readonly #limit: number
  #slots: Slot[] = []
  /** Slots below this one were removed. */
  #first = 0
  /** No slot below this one is wanted. */
  #cursor = 0
  #bytes = 0
  #asked = 0
  #guess = FIRST_GUESS

  /** @param limit bytes of blocks that are received or requested */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Blocks that were not taken yet. */
  get size(): number {
    return this.#slots.length - this.#first
  }

  /** Bytes of the received blocks. */
  get bytes(): number {
    return this.#bytes
  }

  /** Expected size of a block, bytes. */
  get guess(): number {
    return this.#guess
  }

  get first(): Slot | null {
    return this.#slots[this.#first] ?? null
  }

  add(headers: readonly CheckedHeader[]): void {
    for (const header of headers) {
      const slot: Slot = {
        header,
        state: 'wanted',
        block: null,
        giver: null,
        open: 0,
        askedAt: 0,
        asked: null,
        rounds: 0,
        tried: new Set(),
      }
      this.#slots.push(slot)
    }
  }

  /**
   * The lowest run of wanted blocks that fit.
   * @param most blocks of it
   * @param suits whether the peer can be asked for a slot
   * @param upTo height above which none suits
   */
  nextRun(most: number, suits: (slot: Slot) => boolean, upTo: number = Number.POSITIVE_INFINITY): Slot[] {
    const run: Slot[] = []
    let bytesLeft = this.#limit - this.#bytes - this.#asked * this.#guess
    let isBeforeWanted = true
    for (let index = Math.max(this.#cursor, this.#first); index < this.#slots.length; index += 1) {
      const slot = this.#slots[index] as Slot
      if (slot.state === 'wanted') isBeforeWanted = false
      if (isBeforeWanted) this.#cursor = index + 1
      if (slot.header.number > upTo) break
      if (slot.state !== 'wanted' || !suits(slot)) {
        if (run.length > 0) break
        continue
      }
      bytesLeft -= this.#guess
      // The block that the chain waits for always fits.
      if (bytesLeft < 0 && index !== this.#first) break
      run.push(slot)
      if (run.length === most) break
    }
    return run
  }

  ask(run: readonly Slot[], peer: Peer, now: number): void {
    for (const slot of run) {
      slot.asked = peer
      slot.open += 1
      slot.askedAt = now
      if (slot.state === 'wanted') this.#asked += 1
      slot.state = 'asked'
    }
  }

  /** A request ended. @param block the block received for the slot, null when there was none */
  answer(slot: Slot, peer: Peer, block: Buffer | null): void {
    slot.open -= 1
    if (slot.state === 'here') return
    if (block === null) {
      slot.tried.add(peer)
      if (slot.open > 0) return
      slot.state = 'wanted'
      this.#asked -= 1
      this.#cursor = this.#first
      return
    }
    slot.state = 'here'
    slot.block = block
    slot.giver = peer
    this.#asked -= 1
    this.#bytes += block.length
    this.#guess += (block.length - this.#guess) * GUESS_STEP
  }

  /** True when so many blocks can be connected now. */
  hasReady(count: number): boolean {
    for (let index = this.#first; index < this.#first + count; index += 1) {
      if (this.#slots[index]?.state !== 'here') return false
    }
    return true
  }

  /** Takes the blocks that can be connected now, in order. */
  takeReady(mostBlocks: number, mostBytes: number): ReadyBlock[] {
    const taken: ReadyBlock[] = []
    let bytes = 0
    while (taken.length < mostBlocks) {
      const slot = this.#slots[this.#first]
      if (slot?.block == null || slot.giver === null) break
      if (taken.length > 0 && bytes + slot.block.length > mostBytes) break
      bytes += slot.block.length
      taken.push({ header: slot.header, block: slot.block, giver: slot.giver })
      this.#bytes -= slot.block.length
      this.#first += 1
    }
    if (this.#first > 1024 && this.#first * 2 > this.#slots.length) this.#compact()
    return taken
  }

  #compact(): void {
    this.#slots = this.#slots.slice(this.#first)
    this.#cursor = Math.max(0, this.#cursor - this.#first)
    this.#first = 0
  }
}
