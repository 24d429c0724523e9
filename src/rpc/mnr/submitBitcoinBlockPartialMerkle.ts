import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { solutionAnswer, solvableMiningOf } from '../shared/mining.ts'
import { bitcoinBytes, bitcoinCount, bitcoinHashes, bitcoinHeader } from '../shared/params/bitcoin.ts'
import { plainText } from '../shared/params/plainText.ts'

/** A solution as header, coinbase and Merkle branch; the first parameter is ignored (facts/mining.md §5). */
export const submitBitcoinBlockPartialMerkle = defineMethod({
  name: 'mnr_submitBitcoinBlockPartialMerkle',
  doc: 'Submits a solution as Bitcoin header, coinbase and Merkle branch.',
  params: [
    plainText('blockHash'),
    bitcoinHeader(),
    bitcoinBytes('coinbase'),
    bitcoinHashes('merkleHashes'),
    bitcoinCount('transactionCount'),
  ],
  result: { type: 'object' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  handler: async (context, [, header, coinbase, hashes, count]) => {
    if (hashes.length === 0) throw new RpcError('miningRefused', "The list of merkle hashes can't be empty")
    const mining = solvableMiningOf(context, coinbase)
    return solutionAnswer(await mining.submit({ kind: 'partialMerkle', header, coinbase, hashes, count }))
  },
})
