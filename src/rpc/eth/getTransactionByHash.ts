import type { NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { minedAnswer } from '../format/minedAnswer.ts'
import { pendingTransactionAnswer } from '../format/transactionAnswer.ts'
import type { Json, RawBytes } from '../json.ts'
import { hash } from '../params/hex.ts'

/** A mined, pending or queued transaction; null when it is unknown (rpc.md §3.4, decisions.md D72). */
export const getTransactionByHash = defineMethod({
  name: 'eth_getTransactionByHash',
  doc: 'A transaction by its hash: mined, pending, or waiting for an earlier nonce.',
  params: [hash('transactionHash', 'transaction hash')],
  result: { title: 'transaction or null' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  fast: 'transaction',
  handler: (context, [transactionHash]) =>
    minedAnswer(context, 'transaction', transactionHash) ?? pooledTransaction(context, transactionHash),
})

async function pooledTransaction(context: NodeContext, hashBytes: Buffer): Promise<Json | RawBytes> {
  const pooled = await context.pool.transaction(hashBytes)
  if (pooled !== null) return pendingTransactionAnswer(pooled)
  // It may have left the pool for a block after the moment that was read.
  context.refresh()
  return minedAnswer(context, 'transaction', hashBytes)
}
