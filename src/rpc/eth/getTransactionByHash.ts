import type { NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { minedAnswer } from '../format/minedAnswer.ts'
import { pendingTransactionAnswer } from '../format/transactionAnswer.ts'
import type { Json, RawBytes } from '../json.ts'
import { hash } from '../params/hex.ts'

/** A mined or pending transaction; null when it is unknown or only queued (rpc.md §3.4). */
export const getTransactionByHash = defineMethod({
  name: 'eth_getTransactionByHash',
  doc: 'A mined or pending transaction by its hash.',
  params: [hash('transactionHash', 'transaction hash')],
  result: { title: 'transaction or null' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  fast: 'transaction',
  handler: (context, [transactionHash]) =>
    minedAnswer(context, 'transaction', transactionHash) ?? pendingTransaction(context, transactionHash),
})

async function pendingTransaction(context: NodeContext, hashBytes: Buffer): Promise<Json | RawBytes> {
  const pooled = await context.pool.transaction(hashBytes)
  if (pooled !== null) return pendingTransactionAnswer(pooled)
  // It may have left the pool for a block after the moment that was read.
  context.refresh()
  return minedAnswer(context, 'transaction', hashBytes)
}
