import type { SendOutcome } from '../context.ts'
import { RpcError } from '../errors.ts'
import { quantity } from '../format/quantity.ts'

/**
 * The error for a transaction that the pool refused: -32010 with the text of the reference (rpc.md §4.2). What
 * was compared is in `data`, each figure a QUANTITY under its name; there is no `data` where nothing was compared.
 */
export function transactionRefused({
  reason,
  figures,
}: Extract<SendOutcome, { status: 'refused' }>): RpcError {
  const entries = Object.entries(figures)
  if (entries.length === 0) return new RpcError('transactionRefused', reason)
  const data = Object.fromEntries(entries.map(([name, value]) => [name, signedQuantity(value)]))
  return new RpcError('transactionRefused', reason, { data })
}

/** Balances below zero exist: the network's early rules let them happen. */
function signedQuantity(value: bigint): string {
  return value < 0n ? `-${quantity(-value)}` : quantity(value)
}
