import { MessageChannel } from 'node:worker_threads'

/**
 * Buffers that are cut from one slab. A slab of 64 KiB buffers has 33 MiB, because the C library returns allocations of
 * more than 32 MiB to the system as soon as they are freed. Pages of a slab take memory once they are written to.
 */
const BUFFERS_PER_SLAB = 528

interface Slab {
  readonly memory: ArrayBuffer
  /** Indices of free buffers, the most recently used last. */
  readonly free: number[]
  /** Buffers that were ever used. */
  touched: number
}

/** Reusable buffers of one size. Memory that a burst took goes back to the system. */
export class BufferPool {
  readonly #bufferBytes: number
  /** Oldest first: the oldest slab is filled first, so that newer ones become empty and can be freed. */
  readonly #slabs: Slab[] = []

  constructor(bufferBytes: number) {
    this.#bufferBytes = bufferBytes
  }

  /** Bytes of all slabs. */
  get reserved(): number {
    return this.#slabs.length * BUFFERS_PER_SLAB * this.#bufferBytes
  }

  /** A buffer with arbitrary contents. */
  take(): Buffer {
    const slab =
      this.#slabs.find(({ free, touched }) => free.length > 0 || touched < BUFFERS_PER_SLAB) ?? this.#grow()
    let index = slab.free.pop()
    if (index === undefined) {
      index = slab.touched
      slab.touched += 1
    }
    return Buffer.from(slab.memory, index * this.#bufferBytes, this.#bufferBytes)
  }

  /** Returns a buffer, or a view of its beginning, to the pool. */
  giveBack(buffer: Buffer): void {
    const slab = this.#slabs.find(({ memory }) => memory === buffer.buffer)
    if (slab === undefined) return
    slab.free.push(buffer.byteOffset / this.#bufferBytes)
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
    const memory = Buffer.allocUnsafeSlow(BUFFERS_PER_SLAB * this.#bufferBytes).buffer as ArrayBuffer
    const slab = { memory, free: [], touched: 0 }
    this.#slabs.push(slab)
    return slab
  }
}

/**
 * Frees memory without waiting for a garbage collection: what is sent to a closed port is dropped with what it carries.
 */
function freeNow(memory: ArrayBuffer): void {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  port1.postMessage(null, [memory])
  port1.close()
}
