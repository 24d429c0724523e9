import { defineMethod } from '../defineMethod.ts'
import { blockRef, LATEST } from '../params/blockSelector.ts'
import { address } from '../params/hex.ts'
import { slot } from '../params/number.ts'
import { optional } from '../params/param.ts'
import { atBlock } from '../select/resolveBlock.ts'

const WORD_DIGITS = 64

/** A storage cell as a word of 32 bytes, zero where there is none. A wider cell shows its last 32 bytes. */
export const getStorageAt = defineMethod({
  name: 'eth_getStorageAt',
  doc: 'A storage cell of a contract as 32 bytes.',
  params: [address(), slot(), optional(blockRef(), LATEST)],
  result: { type: 'string' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  fast: 'cell',
  handler: (context, [account, position, block]) =>
    atBlock(context, block, (header) => toWord(context.state.at(header).storage(account, position))),
})

function toWord(cell: Buffer | null): string {
  const hex = cell === null ? '' : cell.toString('hex')
  return `0x${hex.padStart(WORD_DIGITS, '0').slice(-WORD_DIGITS)}`
}
