import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { blockRef } from '../params/blockSelector.ts'
import { address } from '../params/hex.ts'
import { slot } from '../params/number.ts'
import { atBlock } from '../select/resolveBlock.ts'

/** The reference's answer for a cell that is not there. */
const ABSENT = '0x0'

/** A storage cell as it is stored, of any length: the cells of system contracts are wider than a word. */
export const getStorageBytesAt = defineMethod({
  name: 'rsk_getStorageBytesAt',
  aliases: ['ext_getStorageBytesAt'],
  doc: 'A storage cell of a contract as it is stored, of any length.',
  params: [address(), slot(), blockRef()],
  result: { type: 'string' },
  lane: 'read',
  cost: 1,
  cache: 'none',
  fast: 'cellBytes',
  handler: (context, [account, position, block]) =>
    atBlock(context, block, (header) => {
      const cell = context.state.at(header).storage(account, position)
      return cell === null || cell.length === 0 ? ABSENT : toHex(cell)
    }),
})
