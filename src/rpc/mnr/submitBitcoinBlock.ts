import { defineMethod } from '../defineMethod.ts'
import { miningOf, solutionAnswer } from '../guards/mining.ts'
import { poolText } from '../params/poolText.ts'

/** A solution as a whole Bitcoin block (mining.md §5). */
export const submitBitcoinBlock = defineMethod({
  name: 'mnr_submitBitcoinBlock',
  doc: 'Submits a solution as a Bitcoin block.',
  params: [poolText('block')],
  result: { type: 'object' },
  lane: 'chain',
  cost: 20,
  cache: 'none',
  handler: async (context, [block]) =>
    solutionAnswer(await miningOf(context).submit({ kind: 'block', block })),
})
