import type { NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import { blockRef, LATEST } from '../params/blockSelector.ts'
import { address } from '../params/hex.ts'
import { optional } from '../params/param.ts'
import { atBlock, isPending } from '../select/resolveBlock.ts'

/** Transactions sent from an account; at `pending` with those waiting in the pool (rpc.md §3.2). */
export const getTransactionCount = defineMethod({
  name: 'eth_getTransactionCount',
  doc: 'Number of transactions sent from an account.',
  params: [address(), optional(blockRef(), LATEST)],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  fast: 'transactionCount',
  handler: (context, [account, block]) => {
    if (isPending(block)) return pendingCount(context, account)
    return atBlock(context, block, (header) =>
      quantity(context.state.at(header).account(account)?.nonce ?? 0n),
    )
  },
})

async function pendingCount({ chain, pool, state }: NodeContext, account: Buffer): Promise<string> {
  const mined = state.at(chain.head()).account(account)?.nonce ?? 0n
  const waiting = (await pool.nextNonce(account)) ?? 0n
  return quantity(waiting > mined ? waiting : mined)
}
