import type { Block } from '../../chain/codec/block.ts'
import { toHex } from '../../util/bytes.ts'
import type { Eventually, NodeContext } from '../context.ts'
import { findTransaction } from '../tracers/traceBlock.ts'

/** RLP of a canonical or pending transaction as hex; null when it is unknown. */
export function rawTransactionAnswer(context: NodeContext, hash: Buffer): Eventually<string | null> {
  const found = findTransaction(context, hash)
  if (found !== null) return rawTransactionAt(found.block, found.index)
  const pooled = context.pool.transaction(hash)
  return pooled instanceof Promise ? pooled.then(encoded) : encoded(pooled)
}

/** RLP of a transaction of a block as hex; null when there is none. */
export function rawTransactionAt(block: Block | null, index: number): string | null {
  const transaction = block?.transactions[index]
  return transaction === undefined ? null : toHex(transaction.encoded)
}

function encoded(pooled: { readonly transaction: { readonly encoded: Buffer } } | null): string | null {
  return pooled === null ? null : toHex(pooled.transaction.encoded)
}
