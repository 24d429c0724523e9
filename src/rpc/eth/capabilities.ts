import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import type { Json } from '../json.ts'
import { firstBlockOfValues } from '../select/history.ts'

/** Parts of the chain that are kept, as execution clients say it (ethereum/execution-apis 755). */
export const capabilities = defineMethod({
  name: 'eth_capabilities',
  doc: 'From which block on there are states, transactions, logs, receipts, blocks and proofs of states, and for how many blocks they are kept.',
  params: [],
  result: { type: 'object' },
  lane: 'read',
  cost: 5,
  cache: 'none',
  handler: (context) => {
    const { chain, node } = context
    const { number, hash } = chain.head()
    const { firstBlock, firstReceipts, firstState } = chain.history(true)
    const { keptValues, keptProofs } = node.settings
    const blocks = kept(firstBlock, null)
    const receipts = kept(Math.max(firstBlock, firstReceipts), null)
    return {
      head: { number: quantity(number), hash: toHex(hash) },
      state: kept(firstBlockOfValues(context), keptValues),
      tx: blocks,
      logs: receipts,
      receipts,
      blocks,
      stateproofs: kept(firstState, keptProofs),
    }
  },
})

/** @param blocks of how many the node keeps it; null for all that there are */
function kept(oldest: number, blocks: number | null): Json {
  const resource = { disabled: false, oldestBlock: quantity(oldest) }
  if (blocks === null) return resource
  return { ...resource, deleteStrategy: { type: 'window', retentionBlocks: quantity(blocks) } }
}
