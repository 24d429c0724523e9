import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { miningOf, solutionAnswer } from '../guards/mining.ts'
import { poolText } from '../params/poolText.ts'

/** A solution as header, coinbase and Merkle branch; the first parameter is ignored (mining.md §5). */
export const submitBitcoinBlockPartialMerkle = defineMethod({
  name: 'mnr_submitBitcoinBlockPartialMerkle',
  doc: 'Submits a solution as Bitcoin header, coinbase and Merkle branch.',
  params: [
    poolText('blockHash'),
    poolText('header'),
    poolText('coinbase'),
    poolText('merkleHashes'),
    poolText('transactionCount'),
  ],
  result: { type: 'object' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  handler: async (context, [, header, coinbase, hashes, count]) => {
    if (hashes === '') throw new RpcError('miningRefused', "The list of merkle hashes can't be empty")
    const mining = miningOf(context)
    return solutionAnswer(await mining.submit({ kind: 'partialMerkle', header, coinbase, hashes, count }))
  },
})
