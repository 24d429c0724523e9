import { parseRLPList } from '../../chain/codec/rlpReader.ts'
import { orderedTrieNodes } from '../../native/trie.ts'
import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { hash } from '../params/hex.ts'

/**
 * Serialised nodes of a block's receipt trie from a receipt up to the root, so that a contract or a light
 * client can check the receipt; null when the block or the transaction in it is unknown (rpc.md §3.10).
 */
export const getTransactionReceiptNodesByHash = defineMethod({
  name: 'rsk_getTransactionReceiptNodesByHash',
  aliases: ['ext_getTransactionReceiptNodesByHash'],
  doc: 'Nodes of the receipt trie from the receipt of a transaction up to the root.',
  params: [hash('blockHash', 'block hash'), hash('transactionHash', 'transaction hash')],
  result: { title: 'trie nodes as hex, or null' },
  lane: 'proof',
  cost: 10,
  cache: 'none',
  handler: ({ chain }, [blockHash, transactionHash]) => {
    const block = chain.blockByHash(blockHash)
    const index =
      block?.transactions.findIndex((transaction) => transaction.hash.equals(transactionHash)) ?? -1
    const receipts = block === null || index < 0 ? null : chain.storedReceipts(block)
    if (receipts === null) return null
    const encoded = parseRLPList(receipts).map((receipt) => receipt.bytes)
    return orderedTrieNodes(encoded, index)?.map(toHex) ?? null
  },
})
