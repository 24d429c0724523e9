import { defineMethod } from '../defineMethod.ts'
import { formatPooled, poolAnswer } from '../format/poolAnswer.ts'

/** The pool with its transactions (rpc.md §3.11). */
export const content = defineMethod({
  name: 'txpool_content',
  doc: 'Transactions of the pool, by sender and nonce.',
  params: [],
  result: { type: 'object' },
  lane: 'read',
  cost: 20,
  cache: 'none',
  handler: ({ pool }) => poolAnswer(pool, formatPooled),
})
