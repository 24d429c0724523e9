import type { StorageError } from '../../storage/errors.ts'
import { isBroken, toUnwritable } from '../../storage/unwritable.ts'

/** Milliseconds between two tries of a store that took no write. */
const TRY_PERIOD_MILLISECONDS = 1000

/** The parts of a guard. */
export interface StoreGuardParams {
  /** Writes something for good, and throws when it cannot. */
  tryWrite(): Promise<void>
  /** Called when writes begin to fail, with the reason, and with null when they are possible again. */
  onChange(fault: StorageError | null): void
  /** Called once when a store is of no use any more in this process. */
  onBroken(thrown: unknown): void
  /** Milliseconds between two tries; 1000 unless given. */
  readonly period?: number
}

/**
 * Knows whether the stores take writes. After a failure for want of space, or of the disk, nothing is begun that
 * would have to be written; the guard tries until a write succeeds. Reads go on meanwhile.
 */
export class StoreGuard {
  readonly #params: StoreGuardParams
  #fault: StorageError | null = null
  #timer: NodeJS.Timeout | null = null
  #isTrying = false
  #isBroken = false

  constructor(params: StoreGuardParams) {
    this.#params = params
  }

  /** Reason why nothing is written; null when it is. */
  get fault(): StorageError | null {
    return this.#fault
  }

  /** @throws StorageError `STORAGE_UNWRITABLE` while the stores take no writes */
  assertWritable(): void {
    if (this.#fault !== null) throw this.#fault
  }

  /**
   * To be called with what a failed write threw.
   * @returns the same, as a StorageError `STORAGE_UNWRITABLE` when the reason may pass
   */
  failed(thrown: unknown): unknown {
    if (isBroken(thrown)) this.#break(thrown)
    const fault = toUnwritable(thrown)
    if (fault === null) return thrown
    this.#begin(fault)
    return fault
  }

  #begin(fault: StorageError): void {
    const isNew = this.#fault === null
    this.#fault = fault
    if (!isNew) return
    this.#params.onChange(fault)
    this.#timer = setInterval(() => void this.#try(), this.#params.period ?? TRY_PERIOD_MILLISECONDS)
    this.#timer.unref()
  }

  #break(thrown: unknown): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.close()
    this.#params.onBroken(thrown)
  }

  /** Tries no more. */
  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  async #try(): Promise<void> {
    if (this.#isTrying) return
    this.#isTrying = true
    try {
      await this.#params.tryWrite()
      if (this.#timer === null) return
      this.close()
      this.#fault = null
      this.#params.onChange(null)
    } catch (error) {
      if (isBroken(error)) this.#break(error)
      // The next try comes; until then the newest reason counts.
      const newest = toUnwritable(error)
      if (newest === null || newest.message === this.#fault?.message) return
      this.#fault = newest
      this.#params.onChange(newest)
    } finally {
      this.#isTrying = false
    }
  }
}
