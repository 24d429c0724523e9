import type { NodeContext } from '../rpc/context.ts'

/** The snapshot of the front thread: one per turn at most, so that all that is answered in it sees one head. */
export class TickSnapshot {
  readonly context: NodeContext
  #fresh = false

  constructor(context: NodeContext) {
    this.context = context
  }

  /** To be called before reads. */
  take(): void {
    if (this.#fresh) return
    this.context.refresh()
    this.#fresh = true
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
