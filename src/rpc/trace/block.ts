import { defineMethod } from '../defineMethod.ts'
import { RawJson } from '../json.ts'
import { tracedBlock } from '../params/tracedBlock.ts'
import { atStoredBlock, traceTransactions } from '../tracers/traceBlock.ts'

/** Flat traces of a block's transactions; null when the block is unknown (rpc.md §3.14). */
export const block = defineMethod({
  name: 'trace_block',
  doc: 'Calls of all transactions of a block as one flat list.',
  params: [tracedBlock()],
  result: { title: 'list of calls or null' },
  lane: 'trace',
  cost: 100,
  cache: 'none',
  handler: (context, [selector]) =>
    atStoredBlock(context, selector, (found) => {
      const traces = traceTransactions(context, found, { tracer: 'flat' })
      return new RawJson(`[${traces.flatMap(({ texts }) => texts).join(',')}]`)
    }),
})
