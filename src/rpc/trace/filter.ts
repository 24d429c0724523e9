import type { Block } from '../../chain/codec/block.ts'
import type { NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams, RpcError, responseTooLarge } from '../errors.ts'
import { RawJson } from '../json.ts'
import type { BlockSelector } from '../params/blockSelector.ts'
import { type TraceFilter, traceFilter } from '../params/traceFilter.ts'
import { assertKept } from '../select/history.ts'
import { findHeader, isPending, withPending } from '../select/resolveBlock.ts'
import { traceTransactions } from '../tracers/traceBlock.ts'

/**
 * Flat traces of the transactions in a range of blocks, by sender and receiver of the transaction
 * (rpc.md §3.14). Blocks without such a transaction are not executed.
 */
export const filter = defineMethod({
  name: 'trace_filter',
  doc: 'Calls of the transactions in a range of blocks, by sender and receiver of the transaction.',
  params: [traceFilter()],
  result: { title: 'list of calls' },
  lane: 'trace',
  cost: 200,
  cache: 'none',
  handler: (context, [wanted]) => {
    if (!isPending(wanted.toBlock)) return collect(context, wanted, null)
    return withPending(context, ({ block }) => collect(context, wanted, block))
  },
})

/** @param pending the pending block where the range may reach it */
function collect(context: NodeContext, wanted: TraceFilter, pending: Block | null): RawJson {
  const first = heightOf(context, wanted.fromBlock)
  const found = heightOf(context, wanted.toBlock)
  if (first !== null && found !== null && first > found) {
    throw invalidParams('fromBlock cannot be greater than toBlock')
  }
  if (first === null) return new RawJson('[]')
  const last = found ?? context.chain.head().number
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
  return new RawJson(traces.text())
}

/** The texts between `after` and `after + count`. */
class TraceWindow {
  readonly #wanted: TraceFilter
  readonly #maxBytes: number
  readonly #texts: string[] = []
  #seen = 0
  #bytes = 0

  constructor(wanted: TraceFilter, maxBytes: number) {
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

  text(): string {
    return `[${this.#texts.join(',')}]`
  }
}

function heightOf(context: NodeContext, selector: BlockSelector): number | null {
  if (isPending(selector)) return context.chain.head().number + 1
  return findHeader(context, selector)?.number ?? null
}

/** Indices of the transactions from one of the senders to one of the receivers, where there are any. */
function matchingTransactions(context: NodeContext, block: Block, wanted: TraceFilter): number[] {
  const { fromAddresses, toAddresses } = wanted
  const senders = fromAddresses.length === 0 ? [] : context.chain.senders(block)
  return block.transactions.flatMap((transaction, index) => {
    const sender = transaction.isRemasc ? undefined : senders[index]
    const fits =
      (fromAddresses.length === 0 || fromAddresses.some((address) => sender?.equals(address) === true)) &&
      (toAddresses.length === 0 || toAddresses.some((address) => transaction.fields.to.equals(address)))
    return fits ? [index] : []
  })
}

function stopIfInterrupted({ interrupt }: NodeContext): void {
  if (Atomics.load(interrupt.flags, interrupt.slot) !== 0) throw new RpcError('overLimit')
}
