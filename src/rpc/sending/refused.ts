import type { SendOutcome } from '../../txpool/interface.ts'
import { RpcError } from '../errors.ts'
import { quantity } from '../format/quantity.ts'

/**
 * Geth's texts for refusals that the reference words differently: ethers finds the cause in any `message` of the error
 * (decisions.md D53). An account that does not exist has no funds.
 */
const TEXTS_OF_GETH: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^insufficient funds|^the sender account doesn't exist$/, 'insufficient funds for gas * price + value'],
  [/^gas price not enough to bump transaction$/, 'replacement transaction underpriced'],
]

/**
 * The error for a transaction that the pool refused: -32010 with the text of the reference (rpc.md §4.2). What
 * was compared is in `data`: each value a QUANTITY under its name, and geth's text as `message` if there is one. Without
 * either there is no `data`.
 */
export function transactionRefused({ reason, stats }: Extract<SendOutcome, { status: 'refused' }>): RpcError {
  const known = TEXTS_OF_GETH.find(([pattern]) => pattern.test(reason))?.[1]
  const entries = Object.entries(stats)
  if (entries.length === 0 && known === undefined) return new RpcError('transactionRefused', reason)
  const shown = Object.fromEntries(entries.map(([name, value]) => [name, signedQuantity(value)]))
  return new RpcError('transactionRefused', reason, {
    data: { ...(known === undefined ? {} : { message: known }), ...shown },
  })
}

/** Negative balances exist: the network's early rules allowed them. */
function signedQuantity(value: bigint): string {
  return value < 0n ? `-${quantity(-value)}` : quantity(value)
}
