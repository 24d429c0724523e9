import type { Block } from '../../chain/codec/block.ts'
import type { NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { RawJson } from '../json.ts'
import type { BlockSelector } from '../params/blockSelector.ts'
import { type TraceFilter, traceFilter } from '../params/traceFilter.ts'
import { findHeader, isPending, withPending } from '../select/resolveBlock.ts'
import { collectTraces } from '../tracers/collectTraces.ts'

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

/** Blocks of a range; null for none. */
interface Range {
  readonly first: number
  readonly last: number
}

/** @param pending the pending block where the range may reach it */
function collect(context: NodeContext, wanted: TraceFilter, pending: Block | null): RawJson {
  const range = rangeOf(context, wanted)
  if (range === null) return new RawJson('[]')
  return new RawJson(`[${collectTraces(context, wanted, { ...range, pending }).elements}]`)
}

/** @throws RpcError `invalidParams` for one the wrong way round */
function rangeOf(context: NodeContext, { fromBlock, toBlock }: TraceFilter): Range | null {
  const first = heightOf(context, fromBlock)
  const found = heightOf(context, toBlock)
  if (first !== null && found !== null && first > found) {
    throw invalidParams('fromBlock cannot be greater than toBlock')
  }
  return first === null ? null : { first, last: found ?? context.chain.head().number }
}

function heightOf(context: NodeContext, selector: BlockSelector): number | null {
  if (isPending(selector)) return context.chain.head().number + 1
  return findHeader(context, selector)?.number ?? null
}
