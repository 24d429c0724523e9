/** @import { Block, Context, Outcome, Transaction } from '../types.js' */
import { createdAddress } from '../chain/createdAddress.js'
import { outcomesOf } from '../rpc/outcomes.js'
import { blockCalls, fullTransactions } from './blockRows.js'
import { lookBackSection } from './lookBack.js'
import { transactionTable } from './transactionRows.js'

/** Blocks that are read on request where many people ask the node. */
const BLOCKS = 128n
/** Blocks that are read at first and on request on a chain of one's own. */
const FIRST_BLOCKS_AT_HOME = 128n
const BLOCKS_AT_HOME = 512n

/**
 * The transactions from and to an address. The node has no index of them, so blocks are read, a bounded number at a
 * time: on a public node only when somebody asks for it.
 * @param {Context} context
 * @param {string} address in lower case
 * @param {bigint} head
 * @param {AbortSignal} signal
 */
export function accountTransactions(context, address, head, signal) {
  /** @type {Map<string, Outcome>} */
  const outcomes = new Map()
  /** @type {Map<string, number>} */
  const times = new Map()
  return lookBackSection({
    title: 'Transactions',
    head,
    firstBlocks: context.isDevelopment ? FIRST_BLOCKS_AT_HOME : 0n,
    laterBlocks: context.isDevelopment ? BLOCKS_AT_HOME : BLOCKS,
    find: async (from, to) => {
      /** @type {(Block | null)[]} */
      const blocks = await context.client.all(blockCalls(to, Number(to - from) + 1), signal)
      return blocks.flatMap((block) => {
        if (block === null) return []
        const found = fullTransactions(block).filter((transaction) => isOf(transaction, address))
        if (found.length > 0) times.set(block.hash, Number(block.timestamp))
        return found.toReversed()
      })
    },
    show: async (transactions) =>
      transactionTable(context, 'Transactions of this address', {
        transactions,
        outcomes: await outcomesOf(context, transactions, signal, outcomes),
        timeOf: ({ blockHash }) => times.get(blockHash ?? '') ?? null,
      }),
    signal,
  })
}

/**
 * Whether a transaction is from or to an address, or creates its contract.
 * @param {Transaction} transaction
 * @param {string} address
 */
function isOf({ from, to, nonce }, address) {
  return from === address || (to === null ? createdAddress(from, BigInt(nonce)) : to) === address
}
