import type { SignatureWait } from '../interface.ts'

/** A head waits for signatures for so long before others are told, milliseconds: each new block waits a moment. */
const TOLD_AFTER = 1000

/** For people. */
export function describeWait({ number, signatures, needed }: SignatureWait): string {
  return `block ${number} has ${signatures} of ${needed} signatures`
}

/** Tells a head that stands still for lack of signatures from one that waits a moment. */
export class WaitWatch {
  #since: number | null = null

  /** @returns what it waits for when it has done so for long; null otherwise */
  look(wait: SignatureWait | null, now: number): SignatureWait | null {
    this.#since = wait === null ? null : (this.#since ?? now)
    return this.#since !== null && now - this.#since >= TOLD_AFTER ? wait : null
  }
}
