import { defineMethod } from '../defineMethod.ts'
import { RawJson } from '../json.ts'
import { anyTransactionHash } from '../params/transactionHash.ts'
import { findTransaction, traceTransactions } from '../tracers/traceBlock.ts'

/** Flat trace of a canonical transaction; null when it is unknown (rpc.md §3.14). */
export const transaction = defineMethod({
  name: 'trace_transaction',
  doc: 'Calls of a transaction as a flat list in the order of execution.',
  params: [anyTransactionHash()],
  result: { title: 'list of calls or null' },
  lane: 'trace',
  cost: 50,
  cache: 'none',
  handler: (context, [hash]) => {
    const found = findTransaction(context, hash)
    if (found === null) return null
    const [trace] = traceTransactions(context, found.block, { tracer: 'flat' }, [found.index])
    return new RawJson(`[${trace?.texts.join(',') ?? ''}]`)
  },
})
