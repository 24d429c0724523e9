import type { Block } from '../../chain/codec/block.ts'
import { toHex } from '../../util/bytes.ts'
import type { Eventually, NodeContext } from '../context.ts'
import { findTransaction } from '../tracers/traceBlock.ts'

/** RLP of a canonical or pooled transaction as hex; null when it is unknown. */
export function rawTransactionAnswer(context: NodeContext, hash: Buffer): Eventually<string | null> {
  return minedTransaction(context, hash) ?? pooledTransaction(context, hash)
}

function minedTransaction(context: NodeContext, hash: Buffer): string | null {
  const found = findTransaction(context, hash)
  return found === null ? null : rawTransactionAt(found.block, found.index)
}

async function pooledTransaction(context: NodeContext, hash: Buffer): Promise<string | null> {
  const pooled = await context.pool.transaction(hash)
  if (pooled !== null) return toHex(pooled.encoded)
  // It may have left the pool for a block after the moment that was read.
  context.refresh()
  return minedTransaction(context, hash)
}

/** RLP of a transaction of a block as hex; null when there is none. */
export function rawTransactionAt(block: Block | null, index: number): string | null {
  const transaction = block?.transactions[index]
  return transaction === undefined ? null : toHex(transaction.encoded)
}
