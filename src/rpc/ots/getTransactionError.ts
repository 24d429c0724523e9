import { defineMethod } from '../defineMethod.ts'
import { anyTransactionHash } from '../params/transactionHash.ts'
import { traceTransactions } from '../tracers/traceBlock.ts'
import { requireTransaction } from './otterscanForms.ts'

/** The data with which a transaction reverted, DATA; empty for one that succeeded, and for a failure that is no revert. */
export const getTransactionError = defineMethod({
  name: 'ots_getTransactionError',
  doc: 'Data that a transaction reverted with; 0x where there is none.',
  params: [anyTransactionHash()],
  result: { type: 'string', title: 'DATA' },
  lane: 'trace',
  cost: 50,
  cache: 'none',
  audience: 'dev',
  handler: (context, [hash]) => {
    const { block, index } = requireTransaction(context, hash)
    const form = { tracer: 'calls', onlyTopCall: true, withLog: false } as const
    const [trace] = traceTransactions(context, block, form, [index])
    const { error, output } = JSON.parse(trace?.texts[0] ?? '{}') as { error?: string; output?: string }
    return error === undefined ? '0x' : (output ?? '0x')
  },
})
