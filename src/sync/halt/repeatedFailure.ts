import type { Logger } from '../../observe/logger.ts'
import { describeHalt, type Halt, type HaltCause, haltBy, haltFields } from './halt.ts'
import { reasonOf } from './stall.ts'

/** Listeners of a {@link RepeatedFailure}. */
export interface RepeatedFailureOptions {
  readonly logger?: Logger
  /** Called when this node fails, of something else than before, or goes on (null). */
  onHalt?(halt: Halt | null): void
}

/** Work of this node that is tried again after it failed: what it fails of is reported once, and when it is over. */
export class RepeatedFailure {
  readonly #cause: HaltCause
  readonly #options: RepeatedFailureOptions
  #halt: Halt | null = null

  constructor(cause: HaltCause, options: RepeatedFailureOptions) {
    this.#cause = cause
    this.#options = options
  }

  /** The last failure; null once it went on. */
  get reason(): string | null {
    return this.#halt?.reason ?? null
  }

  failed(error: unknown): void {
    const { logger, onHalt } = this.#options
    const reason = reasonOf(error)
    if (this.#halt?.reason === reason) return
    this.#halt = haltBy(this.#cause, reason)
    logger?.error({ ...haltFields(this.#halt), err: error }, describeHalt(this.#halt))
    onHalt?.(this.#halt)
  }

  wentOn(): void {
    if (this.#halt === null) return
    const { logger, onHalt } = this.#options
    logger?.info(haltFields(this.#halt), 'it goes on')
    this.#halt = null
    onHalt?.(null)
  }
}
