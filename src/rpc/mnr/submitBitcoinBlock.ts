import { defineMethod } from '../defineMethod.ts'
import { solutionAnswer, solvableMiningOf } from '../shared/mining.ts'
import { bitcoinBytes } from '../shared/params/bitcoin.ts'

/** A solution as a whole Bitcoin block (facts/mining.md §5). */
export const submitBitcoinBlock = defineMethod({
  name: 'mnr_submitBitcoinBlock',
  doc: 'Submits a solution as a Bitcoin block.',
  params: [bitcoinBytes('block')],
  result: { type: 'object' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  handler: async (context, [block]) =>
    solutionAnswer(await solvableMiningOf(context, block).submit({ kind: 'block', block })),
})
