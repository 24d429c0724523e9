import { defineMethod } from '../defineMethod.ts'
import { formatWork } from '../format/formatWork.ts'
import { miningOf } from '../guards/mining.ts'

/** The newest block to be mined (mining.md §2). */
export const getWork = defineMethod({
  name: 'mnr_getWork',
  doc: 'The newest work for merged mining.',
  params: [],
  result: { type: 'object' },
  lane: 'chain',
  cost: 2,
  cache: 'none',
  handler: async (context) => formatWork(await miningOf(context).work()),
})
