import { AcknowledgedAccess } from './acknowledgedAccess.ts'
import type { Expected } from './checkStore.ts'
import type { Ask } from './nodeLoad.ts'

/** Requests in one HTTP body. */
const BATCH = 50

/** What a node said it had taken. Nothing of it may ever be gone. */
export class Acknowledged {
  readonly transactions = new Set<string>()
  readonly blocks = new Set<string>()
  readonly access = new AcknowledgedAccess()
  /** Places behind what was already looked up. */
  #transactionsBefore = 0
  #blocksBefore = 0

  /** Something that a node must have, for a reader to ask for; undefined while there is nothing. */
  anyTransaction(random: () => number): string | undefined {
    return [...this.transactions][Math.floor(random() * this.transactions.size)]
  }

  /** Everything so far. */
  expected(): Expected {
    return {
      transactions: [...this.transactions],
      blocks: [...this.blocks],
      access: this.access.expected(),
    }
  }

  /**
   * Asks a node for what was acknowledged since the last look, or for everything.
   * @throws Error that names what is not there
   */
  async verify(askBatch: (requests: readonly Ask[]) => Promise<readonly unknown[]>, all = false) {
    const since = <T>(items: Set<T>, before: number) => [...items].slice(all ? 0 : before)
    const transactions = since(this.transactions, this.#transactionsBefore)
    const blocks = since(this.blocks, this.#blocksBefore)
    const asks: Ask[] = [
      ...transactions.map((hash): Ask => ['eth_getTransactionByHash', [hash]]),
      ...blocks.map((hash): Ask => ['eth_getBlockByHash', [hash, false]]),
    ]
    for (let start = 0; start < asks.length; start += BATCH) {
      const part = asks.slice(start, start + BATCH)
      const answers = await askBatch(part)
      part.forEach(([method, [hash]], index) => {
        if ((answers[index] as { hash?: string } | null)?.hash !== hash) {
          throw new Error(
            `${method} ${String(hash)} answers ${JSON.stringify(answers[index])}: it was acknowledged`,
          )
        }
      })
    }
    this.#transactionsBefore = this.transactions.size
    this.#blocksBefore = this.blocks.size
    return asks.length
  }
}
