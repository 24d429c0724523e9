import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { hash } from '../params/hex.ts'
import { findTransaction } from '../tracers/traceBlock.ts'

/** RLP of a canonical or pending transaction; null when it is unknown. */
export const getRawTransaction = defineMethod({
  name: 'debug_getRawTransaction',
  doc: 'RLP of a signed transaction, also of a pending one.',
  params: [hash('transactionHash', 'transaction hash')],
  result: { title: 'RLP as hex, or null' },
  lane: 'read',
  cost: 2,
  cache: 'none',
  handler: (context, [transactionHash]) => {
    const found = findTransaction(context, transactionHash)
    const transaction = found?.block.transactions[found.index]
    if (transaction !== undefined) return toHex(transaction.encoded)
    const pooled = context.pool.transaction(transactionHash)
    return pooled instanceof Promise ? pooled.then(encoded) : encoded(pooled)
  },
})

function encoded(pooled: { readonly transaction: { readonly encoded: Buffer } } | null): string | null {
  return pooled === null ? null : toHex(pooled.transaction.encoded)
}
