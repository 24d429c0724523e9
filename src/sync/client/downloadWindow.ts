import type { Peer } from '../../p2p/peer.ts'
import type { CheckedHeader } from './branch.ts'

/** The place of one block between its header and the chain. */
export interface Slot {
  readonly header: CheckedHeader
  state: 'wanted' | 'asked' | 'here'
  /** RLP of the block once it is here. */
  block: Buffer | null
  /** Who gave it. */
  giver: Peer | null
  /** Questions that are open for it, and when the newest was asked (milliseconds). */
  open: number
  askedAt: number
  /** Who was asked last. */
  asked: Peer | null
  /** How often all were asked in vain. */
  rounds: number
  /** Who did not give it. */
  readonly tried: Set<Peer>
}

/** A block that can be connected. */
export interface ReadyBlock {
  readonly header: CheckedHeader
  readonly block: Buffer
  readonly giver: Peer
}

/** Size that blocks are taken for until some were seen. */
const FIRST_GUESS = 4096
/** How much the newest block moves the guess. */
const GUESS_STEP = 0.05

/**
 * The blocks of a branch that are to be downloaded, in order: those that are here wait in memory for the ones below
 * them. What is asked for is bounded by the bytes that it will take, guessed from what came.
 */
export class DownloadWindow {
  readonly #limit: number
  #slots: Slot[] = []
  /** Slots before this one are gone. */
  #first = 0
  /** No slot before this one is wanted. */
  #cursor = 0
  #bytes = 0
  #asked = 0
  #guess = FIRST_GUESS

  /** @param limit bytes of blocks that are here or asked for */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Blocks that are not taken yet. */
  get size(): number {
    return this.#slots.length - this.#first
  }

  /** Bytes of the blocks that are here. */
  get bytes(): number {
    return this.#bytes
  }

  /** Bytes that a block is expected to have. */
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
   * The lowest run of blocks that are wanted and for which there is room.
   * @param most blocks of it
   * @param suits whether a slot can be asked of the peer at hand
   * @param upTo height above which none suits
   */
  nextRun(most: number, suits: (slot: Slot) => boolean, upTo: number = Number.POSITIVE_INFINITY): Slot[] {
    const run: Slot[] = []
    let room = this.#limit - this.#bytes - this.#asked * this.#guess
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
      room -= this.#guess
      // The one that the chain waits for has room always.
      if (room < 0 && index !== this.#first) break
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

  /** A question is over. @param block what came for the slot, null when nothing that fits did */
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

  /** Whether so many blocks can be connected now. */
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
