/** @import { Block, Context, Transaction, Child } from '../types.js' */
/** @import { Column } from '../ui/parts.js' */
import { formatInteger, formatShare } from '../chain/amounts.js'
import { el } from '../ui/dom.js'
import { addressLink, blockHashLink, blockLink } from '../ui/links.js'
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
 * The transactions of blocks that were asked for with them.
 * @param {Block} block
 * @returns {Transaction[]}
 */
export function fullTransactions({ transactions }) {
  return transactions.filter((transaction) => typeof transaction !== 'string')
}
