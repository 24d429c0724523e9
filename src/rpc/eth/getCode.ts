import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { blockRef } from '../params/blockSelector.ts'
import { address } from '../params/hex.ts'
import { atBlock } from '../select/resolveBlock.ts'

/** Code of a contract; `0x` where there is none. */
export const getCode = defineMethod({
  name: 'eth_getCode',
  doc: 'Code of a contract.',
  params: [address(), blockRef({ pending: false })],
  result: { type: 'string' },
  lane: 'read',
  cost: 2,
  cache: 'head',
  stateRead: 'code',
  handler: (context, [account, block]) =>
    atBlock(context, block, (header) => toHex(context.state.at(header).code(account))),
})
