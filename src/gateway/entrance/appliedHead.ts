import type { AppliedHead } from '../../fleet/interface.ts'
import type { RpcError } from '../../rpc/errors.ts'

interface Wait {
  /** Whether it is over. @throws RpcError when it can never be */
  readonly isOver: () => boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  readonly timer: NodeJS.Timeout
}

/**
 * The last entry of the log whose head requests see here, of what two ports tell in any order: the fleet thread which
 * entry it is, the chain thread that the head is there. Calls of other members wait for it (fleet.md §6).
 */
export class AppliedHeadWatch {
  #told: AppliedHead | null = null
  #applied: AppliedHead | null = null
  readonly #waits = new Set<Wait>()

  /** null before the first. */
  get applied(): AppliedHead | null {
    return this.#applied
  }

  /** An entry was applied. @param head that requests see now */
  told(revision: number, hash: Buffer, head: Buffer): void {
    if (this.#told !== null && revision < this.#told.revision) return
    this.#told = { revision, hash }
    this.headChanged(head)
  }

  /** @param head that requests see now */
  headChanged(head: Buffer): void {
    if (this.#told?.hash.equals(head) === true) this.#applied = this.#told
  }

  /** The log counts anew. */
  forget(): void {
    this.#told = null
    this.#applied = null
  }

  /** Looks who need not wait any more. */
  look(): void {
    for (const wait of this.#waits) {
      try {
        if (!wait.isOver()) continue
        wait.resolve()
      } catch (error) {
        wait.reject(error)
      }
      this.#end(wait)
    }
  }

  /**
   * Resolves when a condition holds that {@link AppliedHeadWatch.look} is called for.
   * @param late what it rejects with after so many milliseconds
   * @throws what the condition throws
   */
  async until(isOver: () => boolean, milliseconds: number, late: () => RpcError): Promise<void> {
    if (isOver()) return
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waits.delete(wait)
        reject(late())
      }, milliseconds)
      const wait: Wait = { isOver, resolve, reject, timer }
      this.#waits.add(wait)
    })
  }

  #end(wait: Wait): void {
    clearTimeout(wait.timer)
    this.#waits.delete(wait)
  }
}
