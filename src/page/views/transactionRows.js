/** @import { Child, Context, Outcome, Transaction } from '../types.js' */
/** @import { Column } from '../ui/parts.js' */
import { nativeName } from '../chain/address.js'
import { formatUnits } from '../chain/amounts.js'
import { amount } from '../ui/amount.js'
import { el } from '../ui/dom.js'
import { addressLink, blockLink, transactionLink } from '../ui/links.js'
import { table } from '../ui/parts.js'
import { age } from '../ui/time.js'
import { methodTag } from './calls.js'

/** @type {readonly Column[]} */
const COLUMNS = [
  { title: 'Transaction' },
  { title: 'Status' },
  { title: 'Method' },
  { title: 'Block', kind: 'wide' },
  { title: 'Age' },
  { title: 'From', kind: 'wide' },
  { title: 'To' },
  { title: 'Value, RBTC', kind: 'end' },
]

const BLOCK_COLUMN = COLUMNS.findIndex(({ title }) => title === 'Block')

/** Classes of tags. */
const TONES = { success: 'tag good', failed: 'tag bad', waiting: 'tag warn' }

/**
 * @typedef {object} Listing
 * @property {readonly Transaction[]} transactions
 * @property {ReadonlyMap<string, Outcome>} outcomes by hash
 * @property {(transaction: Transaction) => number | null} timeOf seconds since 1970 of its block
 * @property {string} [empty] what is said when there are none
 * @property {boolean} [isOneBlock] whether all are of the block that the view shows
 */

/**
 * A list of transactions: how they ended, what they called and when. The one that hands out rewards stands apart.
 * @param {Context} context
 * @param {string} caption
 * @param {Listing} listing
 */
export function transactionTable(context, caption, { transactions, outcomes, timeOf, empty, isOneBlock }) {
  const isShown = (/** @type {unknown} */ _, /** @type {number} */ index) =>
    isOneBlock !== true || index !== BLOCK_COLUMN
  const rows = transactions.map((transaction) => {
    const cells = cellsOf(context, transaction, outcomes.get(transaction.hash) ?? null, timeOf(transaction))
    return { cells: cells.filter(isShown), kind: isReward(transaction) ? 'reward' : null }
  })
  return table(
    caption,
    COLUMNS.filter(isShown),
    rows.map(({ cells }) => cells),
    empty,
    { kind: 'cards', rowKind: (index) => rows[index]?.kind ?? null },
  )
}

/**
 * @param {Context} context
 * @param {Transaction} transaction
 * @param {Outcome | null} outcome
 * @param {number | null} timestamp
 * @returns {Child[]}
 */
function cellsOf(context, transaction, outcome, timestamp) {
  const { hash, blockNumber, from, to, value } = transaction
  return [
    transactionLink(hash),
    outcomeTag(outcome),
    isReward(transaction) ? el('span', { class: 'tag' }, 'rewards') : methodTag(context, transaction),
    blockNumber === null ? '' : blockLink(BigInt(blockNumber)),
    timestamp === null ? '' : age(timestamp),
    isReward(transaction) ? 'nobody' : addressLink(context, from),
    addressLink(context, to),
    amount(formatUnits(BigInt(value))),
  ]
}

/** How a transaction ended, as a tag; nothing where nobody can say. @param {Outcome | null} outcome */
export function outcomeTag(outcome) {
  return outcome === null ? null : el('span', { class: TONES[outcome] }, outcome)
}

/**
 * Whether a transaction is the one at the end of each block that hands out rewards.
 * @param {Transaction} transaction
 */
export function isReward({ from, to }) {
  return BigInt(from) === 0n && to !== null && nativeName(to) === 'REMASC'
}
