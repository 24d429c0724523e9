import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import { blockRef, LATEST } from '../params/blockSelector.ts'
import { address } from '../params/hex.ts'
import { optional } from '../params/param.ts'
import { atBlock } from '../select/resolveBlock.ts'

/** Balance of an account in wei. */
export const getBalance = defineMethod({
  name: 'eth_getBalance',
  doc: 'Balance of an account in wei.',
  params: [address(), optional(blockRef(), LATEST)],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  fast: 'balance',
  handler: (context, [account, block]) =>
    atBlock(context, block, (header) => quantity(context.state.at(header).account(account)?.balance ?? 0n)),
})
