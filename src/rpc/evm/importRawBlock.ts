import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { data } from '../params/hex.ts'

/**
 * Connects a block as if a peer had sent it, so that users of a development chain can see what a
 * reorganisation does to them. `debug_getRawBlock` of another node gives the bytes.
 */
export const importRawBlock = defineMethod({
  name: 'evm_importRawBlock',
  doc: 'Connects a block made elsewhere, given as RLP; the better branch becomes the canonical chain.',
  params: [data('rawBlock')],
  result: { type: 'string' },
  lane: 'chain',
  cost: 10,
  cache: 'none',
  audience: 'dev',
  handler: async ({ commands }, [encoded]) => toHex(await commands.dev.importBlock(encoded)),
})
