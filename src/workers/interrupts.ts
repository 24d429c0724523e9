/** Reason why a running request is to stop. */
export const INTERRUPT_REASONS = { cancelled: 1, timeLimit: 2 } as const

/** Name of a reason. */
export type InterruptReason = keyof typeof INTERRUPT_REASONS

/** Requests that can be at the workers at the same time; their numbers cross as 16 bits. */
const SLOTS = 8192

/** Gives each request at a worker an element of shared memory through which it can be stopped. */
export class InterruptTable {
  /** The memory that workers and the native core read. */
  readonly shared: SharedArrayBuffer = new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT)
  readonly #flags = new Int32Array(this.shared)
  /** Slot 0 is never given out: it stands for work that nobody can stop. */
  readonly #free: number[] = Array.from({ length: SLOTS - 1 }, (_, i) => SLOTS - 1 - i)

  /** A cleared slot; null when all are taken. */
  acquire(): number | null {
    const slot = this.#free.pop()
    if (slot === undefined) return null
    Atomics.store(this.#flags, slot, 0)
    return slot
  }

  /** Has whoever works on the slot's request stop. */
  raise(slot: number, reason: InterruptReason): void {
    Atomics.store(this.#flags, slot, INTERRUPT_REASONS[reason])
  }

  /** Gives a slot back once no worker uses it. */
  release(slot: number): void {
    this.#free.push(slot)
  }
}
