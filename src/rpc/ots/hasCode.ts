import { defineMethod } from '../defineMethod.ts'
import { blockId, LATEST } from '../params/blockSelector.ts'
import { address } from '../params/hex.ts'
import { optional } from '../params/param.ts'
import { atBlock } from '../select/resolveBlock.ts'

/** True when an account has code after a block. */
export const hasCode = defineMethod({
  name: 'ots_hasCode',
  doc: 'Whether an account has code.',
  params: [address(), optional(blockId({ decimal: true }), LATEST)],
  result: { type: 'boolean' },
  lane: 'read',
  cost: 2,
  cache: 'none',
  audience: 'dev',
  handler: (context, [account, block]) =>
    atBlock(context, block, (header) => context.state.at(header).code(account).length > 0),
})
