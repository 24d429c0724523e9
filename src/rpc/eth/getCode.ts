import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { blockRef } from '../params/blockSelector.ts'
import { address } from '../params/hex.ts'
import { optional } from '../params/param.ts'
import { asksForPending, atBlock, latestUnlessHosted } from '../select/resolveBlock.ts'

const NAME = 'eth_getCode'

/** Code of a contract; `0x` where there is none. */
export const getCode = defineMethod({
  name: NAME,
  doc: 'Code of a contract.',
  params: [address(), optional(blockRef(), null)],
  result: { type: 'string' },
  lane: 'read',
  cost: 2,
  cache: 'head',
  fast: 'code',
  handler: (context, [account, given]) => {
    const block = given ?? latestUnlessHosted(context)
    asksForPending(context, block, NAME)
    return atBlock(context, block, (header) => toHex(context.state.at(header).code(account)))
  },
})
