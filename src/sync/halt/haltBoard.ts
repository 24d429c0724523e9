import type { Halt } from './halt.ts'

/** The parts of synchronisation that can halt, those that matter most first. */
const PARTS = ['chain', 'start', 'snapshot', 'backfill'] as const

/** A part of synchronisation. */
export type HaltingPart = (typeof PARTS)[number]

/** The board of reasons why the chain, its snapshot or the blocks below it do not go on: one at a time is reported. */
export class HaltBoard {
  readonly #halts = new Map<HaltingPart, Halt>()
  readonly #onChange: (halt: Halt | null) => void

  /** @param onChange called when another halt, or none (null), is reported */
  constructor(onChange: (halt: Halt | null) => void) {
    this.#onChange = onChange
  }

  /** The halt of the most important part. */
  get halt(): Halt | null {
    for (const part of PARTS) {
      const halt = this.#halts.get(part)
      if (halt !== undefined) return halt
    }
    return null
  }

  /** A part halted, or goes on (null). */
  set(part: HaltingPart, halt: Halt | null): void {
    const before = this.halt
    if (halt === null) this.#halts.delete(part)
    else this.#halts.set(part, halt)
    if (this.halt !== before) this.#onChange(this.halt)
  }
}
