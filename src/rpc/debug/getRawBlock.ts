import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { blockRef } from '../params/blockSelector.ts'
import { atStoredBlock } from '../tracers/traceBlock.ts'

/** RLP of a block with its transactions and uncles; null when the block is unknown. */
export const getRawBlock = defineMethod({
  name: 'debug_getRawBlock',
  doc: 'RLP of a block with its transactions and uncles.',
  params: [blockRef()],
  result: { title: 'RLP as hex, or null' },
  lane: 'read',
  cost: 2,
  cache: 'none',
  handler: (context, [selector]) => atStoredBlock(context, selector, (block) => toHex(block.encoded)),
})
