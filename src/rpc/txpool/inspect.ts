import { defineMethod } from '../defineMethod.ts'
import { poolAnswer } from '../format/poolAnswer.ts'

/** The pool with one line per transaction (rpc.md §3.11). */
export const inspect = defineMethod({
  name: 'txpool_inspect',
  doc: 'Transactions of the pool in short, by sender and nonce.',
  params: [],
  result: { type: 'object' },
  lane: 'read',
  cost: 20,
  cache: 'none',
  handler: ({ pool }) =>
    poolAnswer(pool, ({ transaction }) => {
      const { fields } = transaction
      const to = transaction.isCreation ? '' : fields.to.toString('hex')
      return `${to}: ${fields.value} wei + ${transaction.gasLimit} x ${transaction.gasPrice} gas`
    }),
})
