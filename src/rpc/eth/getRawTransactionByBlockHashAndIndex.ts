import { defineMethod } from '../defineMethod.ts'
import { rawTransactionAt } from '../format/rawTransactionAnswer.ts'
import { hash } from '../params/hex.ts'
import { index } from '../params/number.ts'

/** RLP of a transaction by the hash of its block and its position; null when there is none (decisions.md D50). */
export const getRawTransactionByBlockHashAndIndex = defineMethod({
  name: 'eth_getRawTransactionByBlockHashAndIndex',
  doc: 'RLP of a transaction by the hash of its block and its position.',
  params: [hash('blockHash', 'block hash'), index()],
  result: { title: 'RLP as hex, or null' },
  lane: 'read',
  cost: 2,
  cache: 'head',
  handler: ({ chain }, [blockHash, position]) => rawTransactionAt(chain.blockByHash(blockHash), position),
})
