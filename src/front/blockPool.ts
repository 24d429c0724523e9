import { MessageChannel } from 'node:worker_threads'

/**
 * Blocks that are cut from one piece of memory: 33 MiB of them, because the C library gives pieces of more than 32 MiB
 * back to the system as soon as they are freed. Of a piece only what was written to takes memory.
 */
const BLOCKS_PER_SLAB = 528

interface Slab {
  readonly memory: ArrayBuffer
  /** Places of blocks that are free, those that were used before last. */
  readonly free: number[]
  /** Blocks that were ever used. */
  touched: number
}

/** Memory in blocks of one size that are used again and again. What a burst took goes back to the system. */
export class BlockPool {
  readonly #blockBytes: number
  /** The oldest first: it is filled first, so that the newer ones become empty. */
  readonly #slabs: Slab[] = []

  constructor(blockBytes: number) {
    this.#blockBytes = blockBytes
  }

  /** Bytes of all slabs. */
  get reserved(): number {
    return this.#slabs.length * BLOCKS_PER_SLAB * this.#blockBytes
  }

  /** A block, whose bytes are of no meaning. */
  take(): Buffer {
    const slab =
      this.#slabs.find(({ free, touched }) => free.length > 0 || touched < BLOCKS_PER_SLAB) ?? this.#grow()
    let place = slab.free.pop()
    if (place === undefined) {
      place = slab.touched
      slab.touched += 1
    }
    return Buffer.from(slab.memory, place * this.#blockBytes, this.#blockBytes)
  }

  /** Takes back a block, or a part from its beginning. */
  giveBack(block: Buffer): void {
    const slab = this.#slabs.find(({ memory }) => memory === block.buffer)
    if (slab === undefined) return
    slab.free.push(block.byteOffset / this.#blockBytes)
    const isFree = slab.free.length === slab.touched
    if (isFree && this.#slabs.length > 1) {
      this.#slabs.splice(this.#slabs.indexOf(slab), 1)
      freeNow(slab.memory)
    }
  }

  /** Frees everything. */
  close(): void {
    for (const { memory } of this.#slabs.splice(0)) freeNow(memory)
  }

  #grow(): Slab {
    // Not filled with zeros, so that the system gives pages when they are written to.
    const memory = Buffer.allocUnsafeSlow(BLOCKS_PER_SLAB * this.#blockBytes).buffer as ArrayBuffer
    const slab = { memory, free: [], touched: 0 }
    this.#slabs.push(slab)
    return slab
  }
}

/** Frees memory without waiting for a garbage collection: what is sent to a closed port is dropped with what it carries. */
function freeNow(memory: ArrayBuffer): void {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  port1.postMessage(null, [memory])
  port1.close()
}
