import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { plainBlock } from '../params/plainBlock.ts'
import { findHeader, isPending, withPending } from '../select/resolveBlock.ts'

/** RLP of a header with its Bitcoin header, without proof and coinbase (rpc.md §3.10). */
export const getRawBlockHeaderByNumber = defineMethod({
  name: 'rsk_getRawBlockHeaderByNumber',
  aliases: ['ext_getRawBlockHeaderByNumber'],
  doc: 'RLP of the header of a block, by number or tag.',
  params: [plainBlock()],
  result: { title: 'RLP as hex, or null' },
  lane: 'read',
  cost: 1,
  cache: 'none',
  handler: (context, [selector]) => {
    if (isPending(selector)) return withPending(context, ({ block }) => toHex(block.header.encodedRaw))
    const header = findHeader(context, selector)
    return header === null ? null : toHex(header.encodedRaw)
  },
})
