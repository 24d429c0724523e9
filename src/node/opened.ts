/** Functions that open and close a part. */
export interface PartSteps<T> {
  open(): T | Promise<T>
  /** Called once for each value that opening gave. */
  close(value: T): void | Promise<void>
}

/**
 * A part as the others reach it, also those that are opened before it. It can be closed and opened again while they
 * run. What is asked of it is done in order.
 */
export class Part<T> {
  #steps: PartSteps<T> | null = null
  #open: { readonly value: T } | null = null
  #isEnded = false
  #last: Promise<unknown> = Promise.resolve()

  /** The value that opening gave; null while the part is not open. */
  get now(): T | null {
    return this.#open?.value ?? null
  }

  /** Opens it. @throws what opening throws; then it is not open */
  open(steps: PartSteps<T>): Promise<T> {
    return this.#inTurn(() => {
      if (this.#steps !== null) throw new Error('the part was opened before')
      this.#steps = steps
      return this.#begin()
    })
  }

  /**
   * Closes it, and opens it with the steps that it was opened with. Null when it was ended meanwhile.
   * @throws what closing or opening throws; then it is not open
   */
  reopen(): Promise<T | null> {
    return this.#inTurn(async () => {
      await this.#finish()
      return this.#isEnded ? null : await this.#begin()
    })
  }

  /** Closes it, unless it is not open; the others stay open. */
  close(): Promise<void> {
    return this.#inTurn(() => this.#finish())
  }

  /** Closes it and lets nobody open it again. */
  end(): Promise<void> {
    this.#isEnded = true
    return this.close()
  }

  async #begin(): Promise<T> {
    if (this.#steps === null) throw new Error('the part was never opened')
    const value = await this.#steps.open()
    this.#open = { value }
    return value
  }

  async #finish(): Promise<void> {
    const open = this.#open
    // Nobody reaches what is about to close.
    this.#open = null
    if (open !== null) await this.#steps?.close(open.value)
  }

  #inTurn<R>(step: () => Promise<R>): Promise<R> {
    const result = this.#last.then(step)
    this.#last = result.catch(() => undefined)
    return result
  }
}

/**
 * Parts in the order in which they are opened; they are closed in the reverse order. The language's own
 * `AsyncDisposableStack` is not in Node.js 20, and its parts cannot be opened again.
 */
export class Opened {
  readonly #parts: { end(): Promise<void> }[] = []
  #closing: Promise<void> | null = null

  /**
   * Opens parts; where one cannot be opened, those before it are closed.
   * @param build opens them
   * @param onFailure called with the reason why one could not be closed after another could not be opened
   * @throws what build throws
   */
  static async build<T>(
    build: (parts: Opened) => Promise<T>,
    onFailure: (error: unknown) => void = () => undefined,
  ): Promise<T> {
    const parts = new Opened()
    try {
      return await build(parts)
    } catch (error) {
      await parts.close().catch(onFailure)
      throw error
    }
  }

  /**
   * Opens a part behind those that are open.
   * @param part by which others reach it
   * @throws what opening throws
   */
  async open<T>(steps: PartSteps<T>, part: Part<T> = new Part()): Promise<T> {
    if (this.#closing !== null) throw new Error('the parts are closed')
    this.#parts.push(part)
    return await part.open(steps)
  }

  /**
   * Closes all parts, the last one first, each when the one behind it is closed. All are closed, also behind one that
   * fails. The same promise for whoever asks again.
   * @throws what closing threw: an AggregateError where it was more than one
   */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async #closeAll(): Promise<void> {
    const errors: unknown[] = []
    for (const part of this.#parts.toReversed())
      await part.end().catch((error: unknown) => errors.push(error))
    if (errors.length > 1) throw new AggregateError(errors, 'several parts could not be closed')
    if (errors.length === 1) throw errors[0]
  }
}
