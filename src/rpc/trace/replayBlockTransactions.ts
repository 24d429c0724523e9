import { defineMethod } from '../defineMethod.ts'
import { RawJson } from '../json.ts'
import { tracedBlock } from '../params/tracedBlock.ts'
import { traceTypes } from '../params/traceTypes.ts'
import { replayBlockText, replayTransactions } from '../tracers/replayAnswer.ts'
import { atStoredBlock } from '../tracers/traceBlock.ts'

/** Output, calls and changes of each transaction of a block; null when the block is unknown (decisions.md D50). */
export const replayBlockTransactions = defineMethod({
  name: 'trace_replayBlockTransactions',
  doc: 'Output, calls and changes of the state of the transactions of a block that is executed again.',
  params: [tracedBlock(), traceTypes()],
  result: { title: 'list of replays or null' },
  lane: 'trace',
  cost: 200,
  cache: 'none',
  handler: (context, [selector, types]) =>
    atStoredBlock(
      context,
      selector,
      (block) => new RawJson(replayBlockText(block, replayTransactions(context, block, types))),
    ),
})
