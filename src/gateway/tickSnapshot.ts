import type { NodeContext } from '../rpc/context.ts'

/** The snapshot of the front thread: one per turn at most, so that all that is answered in it sees one head. */
export class TickSnapshot {
  readonly context: NodeContext
  readonly #onTaken: (() => void) | null
  #fresh = false

  /** @param onTaken called with every new snapshot */
  constructor(context: NodeContext, onTaken: (() => void) | null = null) {
    this.context = context
    this.#onTaken = onTaken
  }

  /** To be called before reads. */
  take(): void {
    if (this.#fresh) return
    this.context.refresh()
    this.#fresh = true
    this.#onTaken?.()
    setImmediate(() => {
      this.#fresh = false
      this.context.release()
    })
  }

  /** Has the next read see what changed. */
  forget(): void {
    this.#fresh = false
  }
}
