import { defineMethod } from '../defineMethod.ts'
import { headerAnswer } from '../format/headerAnswer.ts'
import { hash } from '../params/hex.ts'

/** Header of a block, canonical or not; null when it is unknown (decisions.md D50). */
export const getHeaderByHash = defineMethod({
  name: 'eth_getHeaderByHash',
  doc: 'Header of a block by its hash.',
  params: [hash('blockHash', 'block hash')],
  result: { title: 'header or null' },
  lane: 'read',
  cost: 1,
  cache: 'head',
  handler: ({ chain }, [blockHash]) => {
    const header = chain.headerByHash(blockHash)
    return header === null ? null : headerAnswer(header)
  },
})
