import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { blockRef } from '../params/blockSelector.ts'
import { atStoredBlock } from '../tracers/traceBlock.ts'

/** RLP of a header of a block; null when the block is unknown. */
export const getRawHeader = defineMethod({
  name: 'debug_getRawHeader',
  doc: 'RLP of a header of a block.',
  params: [blockRef()],
  result: { title: 'RLP as hex, or null' },
  lane: 'read',
  cost: 2,
  cache: 'none',
  handler: (context, [selector]) =>
    atStoredBlock(context, selector, (block) => toHex(block.header.encodedFull)),
})
