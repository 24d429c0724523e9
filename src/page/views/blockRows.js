/** @import { Block, Context, Transaction, Child } from '../types.js' */
/** @import { Column } from '../ui/parts.js' */
import { nativeName } from '../chain/address.js'
import { formatInteger, formatShare, formatUnits } from '../chain/amounts.js'
import { el } from '../ui/dom.js'
import { addressLink, blockHashLink, blockLink, transactionLink } from '../ui/links.js'
import { age } from '../ui/time.js'

/** @type {readonly Column[]} */
export const BLOCK_COLUMNS = [
  { title: 'Block' },
  { title: 'Age' },
  { title: 'Transactions', kind: 'end' },
  { title: 'Gas used', kind: 'end' },
  { title: 'Miner', kind: 'wide' },
  { title: 'Hash', kind: 'wide' },
]

/** @type {readonly Column[]} */
export const TRANSACTION_COLUMNS = [
  { title: 'Transaction' },
  { title: 'Block', kind: 'wide' },
  { title: 'From', kind: 'wide' },
  { title: 'To' },
  { title: 'Value, RBTC', kind: 'end' },
]

/**
 * Calls that read so many blocks from a number down.
 * @param {bigint} from
 * @param {number} count
 */
export function blockCalls(from, count) {
  const most = from + 1n < BigInt(count) ? Number(from + 1n) : count
  return Array.from({ length: most }, (_, index) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${(from - BigInt(index)).toString(16)}`, true],
  }))
}

/**
 * The cells of a block.
 * @param {Context} context
 * @param {Block} block
 * @returns {Child[]}
 */
export function blockRow(context, block) {
  const share = formatShare(BigInt(block.gasUsed), BigInt(block.gasLimit))
  return [
    blockLink(BigInt(block.number)),
    age(Number(block.timestamp)),
    String(block.transactions.length),
    [
      formatInteger(BigInt(block.gasUsed)),
      share === '' ? null : el('span', { class: 'share' }, ` · ${share}`),
    ],
    addressLink(context, block.miner),
    blockHashLink(block.hash),
  ]
}

/**
 * The cells of a transaction.
 * @param {Context} context
 * @param {Transaction} transaction
 * @returns {Child[]}
 */
export function transactionRow(context, transaction) {
  const { hash, blockNumber, from, to, value } = transaction
  return [
    transactionLink(hash),
    blockNumber === null ? 'waiting' : blockLink(BigInt(blockNumber)),
    isReward(transaction) ? 'reward' : addressLink(context, from),
    addressLink(context, to),
    formatUnits(BigInt(value)),
  ]
}

/**
 * Whether a transaction is the one at the end of each block that hands out rewards.
 * @param {Transaction} transaction
 */
export function isReward({ from, to }) {
  return BigInt(from) === 0n && to !== null && nativeName(to) === 'REMASC'
}

/**
 * The transactions of blocks that were asked for with them.
 * @param {Block} block
 * @returns {Transaction[]}
 */
export function fullTransactions({ transactions }) {
  return transactions.filter((transaction) => typeof transaction !== 'string')
}
