import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import { blockRef, LATEST } from '../params/blockSelector.ts'
import { address } from '../params/hex.ts'
import { optional } from '../params/param.ts'
import { atBlock } from '../select/resolveBlock.ts'

/** Balance, nonce and code of an account in one answer, as reth and Erigon have it. */
export const getAccountInfo = defineMethod({
  name: 'eth_getAccountInfo',
  doc: 'Balance, nonce and code of an account.',
  params: [address(), optional(blockRef(), LATEST)],
  result: { title: 'account info' },
  lane: 'read',
  cost: 2,
  cache: 'head',
  fast: 'accountInfo',
  handler: (context, [account, block]) =>
    atBlock(context, block, (header) => {
      const state = context.state.at(header)
      const { balance, nonce } = state.account(account) ?? { balance: 0n, nonce: 0n }
      return { balance: quantity(balance), nonce: quantity(nonce), code: toHex(state.code(account)) }
    }),
})
