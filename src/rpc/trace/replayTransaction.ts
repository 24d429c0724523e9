import { defineMethod } from '../defineMethod.ts'
import { RawJson } from '../json.ts'
import { traceTypes } from '../params/traceTypes.ts'
import { anyTransactionHash } from '../params/transactionHash.ts'
import { replayTransactions } from '../tracers/replayAnswer.ts'
import { findTransaction } from '../tracers/traceBlock.ts'

/** Output, calls and changes of a canonical transaction; null when it is unknown (decisions.md D50). */
export const replayTransaction = defineMethod({
  name: 'trace_replayTransaction',
  doc: 'Output, calls and changes of the state of a transaction that is executed again.',
  params: [anyTransactionHash(), traceTypes()],
  result: { title: 'replay or null' },
  lane: 'trace',
  cost: 100,
  cache: 'none',
  handler: (context, [hash, types]) => {
    const found = findTransaction(context, hash)
    if (found === null) return null
    const [replayed] = replayTransactions(context, found.block, types, [found.index])
    return new RawJson(replayed?.text ?? 'null')
  },
})
