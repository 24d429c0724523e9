import { defineMethod } from '../defineMethod.ts'
import { miningOf, solutionAnswer } from '../guards/mining.ts'
import { poolText } from '../params/poolText.ts'

/** A solution as header, coinbase and the hashes of all transactions; the first parameter is ignored. */
export const submitBitcoinBlockTransactions = defineMethod({
  name: 'mnr_submitBitcoinBlockTransactions',
  doc: 'Submits a solution as Bitcoin header, coinbase and transaction hashes.',
  params: [poolText('blockHash'), poolText('header'), poolText('coinbase'), poolText('hashes')],
  result: { type: 'object' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  handler: async (context, [, header, coinbase, hashes]) =>
    solutionAnswer(await miningOf(context).submit({ kind: 'transactions', header, coinbase, hashes })),
})
