import { defineMethod } from '../defineMethod.ts'
import { hash } from '../params/hex.ts'
import { traceOptions } from '../params/traceOptions.ts'
import { blockTraceAnswer } from '../tracers/blockTraceAnswer.ts'

/** Traces of a block's transactions; null when the block is unknown (rpc.md §3.13). */
export const traceBlockByHash = defineMethod({
  name: 'debug_traceBlockByHash',
  doc: 'Traces of the transactions of a block, by its hash.',
  params: [hash('blockHash', 'block hash'), traceOptions()],
  result: { title: 'traces or null' },
  lane: 'trace',
  cost: 100,
  cache: 'none',
  handler: (context, [blockHash, form]) => {
    const block = context.chain.blockByHash(blockHash)
    return block === null ? null : blockTraceAnswer(context, block, form)
  },
})
