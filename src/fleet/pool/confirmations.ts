import type { MemberId } from '../member.ts'

/** Batches that are waited for at the same time; those before are answered then. */
const MAX_WAITING = 4096

interface Waiting {
  readonly members: Set<MemberId>
  readonly resolve: () => void
}

/** Members that have confirmed batches of transactions. Synchronous but for its promises. */
export class Confirmations {
  readonly #waiting = new Map<number, Waiting>()

  /** Batches that are waited for. */
  get size(): number {
    return this.#waiting.size
  }

  /** Resolves when these members have confirmed a batch, or are gone. */
  wait(batch: number, members: readonly MemberId[]): Promise<void> {
    if (members.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.set(batch, { members: new Set(members), resolve })
      const oldest = this.#waiting.keys().next()
      if (this.#waiting.size > MAX_WAITING && !oldest.done) this.#end(oldest.value)
    })
  }

  confirmed(member: MemberId, batch: number): void {
    const waiting = this.#waiting.get(batch)
    if (waiting === undefined) return
    waiting.members.delete(member)
    if (waiting.members.size === 0) this.#end(batch)
  }

  /** Only these members are present now. */
  keepOnly(present: ReadonlySet<MemberId>): void {
    for (const [batch, { members }] of this.#waiting) {
      for (const member of members) if (!present.has(member)) members.delete(member)
      if (members.size === 0) this.#end(batch)
    }
  }

  #end(batch: number): void {
    this.#waiting.get(batch)?.resolve()
    this.#waiting.delete(batch)
  }
}
