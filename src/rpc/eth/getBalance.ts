import { defineMethod } from '../defineMethod.ts'
import { blockRef, LATEST } from '../shared/params/blockSelector.ts'
import { address } from '../shared/params/hex.ts'
import { optional } from '../shared/params/param.ts'
import { quantity } from '../shared/quantity.ts'
import { atBlock } from '../shared/resolveBlock.ts'

/** Balance of an account in wei. */
export const getBalance = defineMethod({
  name: 'eth_getBalance',
  doc: 'Balance of an account in wei.',
  params: [address(), optional(blockRef(), LATEST)],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  stateRead: 'balance',
  handler: (context, [account, block]) =>
    atBlock(context, block, (header) => quantity(context.state.at(header).account(account)?.balance ?? 0n)),
})
