import { defineMethod } from '../defineMethod.ts'
import { solutionAnswer, solvableMiningOf } from '../shared/mining.ts'
import { bitcoinBytes, bitcoinHashes, bitcoinHeader } from '../shared/params/bitcoin.ts'
import { plainText } from '../shared/params/plainText.ts'

/** A solution as header, coinbase and the hashes of all transactions; the first parameter is ignored. */
export const submitBitcoinBlockTransactions = defineMethod({
  name: 'mnr_submitBitcoinBlockTransactions',
  doc: 'Submits a solution as Bitcoin header, coinbase and transaction hashes.',
  params: [plainText('blockHash'), bitcoinHeader(), bitcoinBytes('coinbase'), bitcoinHashes('hashes')],
  result: { type: 'object' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  handler: async (context, [, header, coinbase, hashes]) =>
    solutionAnswer(
      await solvableMiningOf(context, coinbase).submit({ kind: 'transactions', header, coinbase, hashes }),
    ),
})
