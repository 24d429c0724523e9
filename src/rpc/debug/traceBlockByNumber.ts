import { defineMethod } from '../defineMethod.ts'
import { tracedBlock } from '../params/tracedBlock.ts'
import { traceOptions } from '../params/traceOptions.ts'
import { blockTraceAnswer } from '../tracers/blockTraceAnswer.ts'
import { atStoredBlock } from '../tracers/traceBlock.ts'

/** Traces of a block's transactions; null when the block is unknown (rpc.md §3.13). */
export const traceBlockByNumber = defineMethod({
  name: 'debug_traceBlockByNumber',
  doc: 'Traces of the transactions of a block, by number, tag or hash.',
  params: [tracedBlock(), traceOptions()],
  result: { title: 'traces or null' },
  lane: 'trace',
  cost: 100,
  cache: 'none',
  handler: (context, [selector, form]) =>
    atStoredBlock(context, selector, (block) => blockTraceAnswer(context, block, form)),
})
