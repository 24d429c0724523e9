import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { hash } from '../params/hex.ts'

/** RLP of a header with its Bitcoin header, without proof and coinbase (rpc.md §3.10). */
export const getRawBlockHeaderByHash = defineMethod({
  name: 'rsk_getRawBlockHeaderByHash',
  aliases: ['ext_getRawBlockHeaderByHash'],
  doc: 'RLP of the header of a block, by its hash.',
  params: [hash('blockHash', 'block hash')],
  result: { title: 'RLP as hex, or null' },
  lane: 'read',
  cost: 1,
  cache: 'none',
  handler: ({ chain }, [blockHash]) => {
    const header = chain.headerByHash(blockHash)
    return header === null ? null : toHex(header.encodedRaw)
  },
})
