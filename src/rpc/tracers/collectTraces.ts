import type { Block } from '../../chain/codec/block.ts'
import type { NodeContext } from '../context.ts'
import { responseTooLarge } from '../errors.ts'
import type { TraceFilter } from '../params/traceFilter.ts'
import { assertKept } from '../select/history.ts'
import { stopIfInterrupted } from './stopIfInterrupted.ts'
import { traceTransactions } from './traceBlock.ts'

/** Choice of traces of a range. */
export type TraceSelection = Omit<TraceFilter, 'fromBlock' | 'toBlock'>

/** Blocks that are searched, both ends included. */
export interface TracedRange {
  readonly first: number
  readonly last: number
  /** The pending block, where the range may reach it. */
  readonly pending: Block | null
}

/** Traces of a range: JSON texts with commas between. */
export interface FoundTraces {
  readonly count: number
  readonly elements: string
}

/** @throws RpcError when there is more than an answer may have, `historyNotKept`, `overLimit` */
export function collectTraces(
  context: NodeContext,
  wanted: TraceSelection,
  { first, last, pending }: TracedRange,
): FoundTraces {
  const traces = new TraceWindow(wanted, context.node.settings.answerBytes)
  for (let height = first; height <= last && !traces.isFull; height++) {
    stopIfInterrupted(context)
    const hash = context.chain.hashByNumber(height)
    // A range that begins with genesis reaches heights that are not kept.
    if (hash === null) assertKept(context.chain, height)
    const block = hash === null ? pending : context.chain.blockByHash(hash)
    if (block === null || block.number !== height) break
    const indices = matchingTransactions(context, block, wanted)
    if (indices.length === 0) continue
    for (const { texts } of traceTransactions(context, block, { tracer: 'flat' }, indices)) traces.add(texts)
  }
  return traces.found
}

/** The texts between `after` and `after + count`. */
class TraceWindow {
  readonly #wanted: TraceSelection
  readonly #maxBytes: number
  readonly #texts: string[] = []
  #seen = 0
  #bytes = 0

  constructor(wanted: TraceSelection, maxBytes: number) {
    this.#wanted = wanted
    this.#maxBytes = maxBytes
  }

  get isFull(): boolean {
    return this.#seen >= this.#wanted.after + this.#wanted.count
  }

  /** @throws RpcError when the answer becomes too large */
  add(texts: readonly string[]): void {
    for (const text of texts) {
      if (this.isFull) return
      this.#seen += 1
      if (this.#seen <= this.#wanted.after) continue
      this.#texts.push(text)
      this.#bytes += text.length + 1
      if (this.#bytes > this.#maxBytes) throw responseTooLarge(this.#maxBytes)
    }
  }

  get found(): FoundTraces {
    return { count: this.#texts.length, elements: this.#texts.join(',') }
  }
}

/** Indices of the transactions from one of the senders to one of the receivers, or of either, where there are any. */
function matchingTransactions(context: NodeContext, block: Block, wanted: TraceSelection): number[] {
  const { fromAddresses, toAddresses, mode } = wanted
  const senders = fromAddresses.length === 0 ? [] : context.chain.senders(block)
  return block.transactions.flatMap((transaction, index) => {
    const sender = transaction.isRemasc ? undefined : senders[index]
    const isFrom =
      fromAddresses.length === 0 || fromAddresses.some((address) => sender?.equals(address) === true)
    const isTo = toAddresses.length === 0 || toAddresses.some((to) => transaction.fields.to.equals(to))
    return (mode === 'union' ? isFrom || isTo : isFrom && isTo) ? [index] : []
  })
}
