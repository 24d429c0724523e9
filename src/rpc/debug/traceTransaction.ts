import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { RawJson } from '../json.ts'
import { traceOptions } from '../params/traceOptions.ts'
import { anyTransactionHash } from '../params/transactionHash.ts'
import { findTransaction, traceTransactions } from '../tracers/traceBlock.ts'

/** Trace of a canonical transaction, executed again in its block (rpc.md §3.13). */
export const traceTransaction = defineMethod({
  name: 'debug_traceTransaction',
  doc: 'Trace of a transaction: rskTracer unless options name callTracer, flatCallTracer, prestateTracer, 4byteTracer, muxTracer, noopTracer or structLogger, which has the form of geth.',
  params: [anyTransactionHash(), traceOptions()],
  result: { title: 'trace or null' },
  lane: 'trace',
  cost: 50,
  cache: 'none',
  handler: (context, [hash, form]) => {
    const found = findTransaction(context, hash)
    if (found === null) {
      // As the reference; clients that name a tracer take -32602 for one that is not there.
      if (form.tracer === 'structLogs') return null
      throw new RpcError('executionFailed', 'transaction not found')
    }
    const [trace] = traceTransactions(context, found.block, form, [found.index])
    return new RawJson(trace?.texts[0] ?? 'null')
  },
})
