/** @import { Block, Context, Head, Outcome, ViewMaker } from '../types.js' */
import { formatInteger } from '../chain/amounts.js'
import { networkName } from '../chain/networks.js'
import { outcomesOf } from '../rpc/outcomes.js'
import { el, fill } from '../ui/dom.js'
import { blockHashLink, blockLink } from '../ui/links.js'
import { facts, heading, section, table } from '../ui/parts.js'
import { age } from '../ui/time.js'
import { BLOCK_COLUMNS, blockCalls, blockRow, fullTransactions } from './blockRows.js'
import { failedCalls } from './failedCalls.js'
import { isReward, transactionTable } from './transactionRows.js'

const BLOCKS = 10
const TRANSACTIONS = 10
/** Failed calls of a chain for development. */
const FAILED_CALLS = 3
/** Outcomes that are kept while heads come and go. */
const MAX_OUTCOMES = 1000

/** The head of the chain, the state of the node, the newest blocks and transactions. @type {ViewMaker} */
export const homeView = async (context, _parts, signal) => {
  const newest = await context.client.call('eth_getBlockByNumber', ['latest', false], signal)
  const shown = el('div', { class: 'head' })
  const status = el('div', {})
  const blocks = el('div', {})
  const transactions = el('div', {})
  let shownHash = ''
  /** @type {Map<string, Outcome>} */
  const outcomes = new Map()
  /** @param {Head} head */
  const show = async (head) => {
    if (head.hash === shownHash) return
    const [found, state] = await Promise.all([
      readBlocks(context, head.number, signal),
      readStatus(context, signal),
    ])
    const newest = newestTransactions(found)
    if (outcomes.size > MAX_OUTCOMES) outcomes.clear()
    const ended = await outcomesOf(context, newest, signal, outcomes)
    shownHash = head.hash
    fill(shown, headParts(head))
    fill(status, facts(state))
    fill(blocks, blockTable(context, found))
    const times = new Map(found.map(({ hash, timestamp }) => [hash, Number(timestamp)]))
    fill(
      transactions,
      transactionTable(context, 'Newest transactions', {
        transactions: newest,
        outcomes: ended,
        timeOf: ({ blockHash }) => times.get(blockHash ?? '') ?? null,
        empty: `No transactions but rewards in the newest ${BLOCKS} blocks.`,
      }),
    )
  }
  await show({ number: BigInt(newest.number), hash: newest.hash, timestamp: Number(newest.timestamp) })
  const failed = await failedCalls(context, { most: FAILED_CALLS }, signal)
  return {
    title: 'Chain',
    content: [
      heading(networkName(context.chainId), el('span', { class: 'quiet' }, `chain id ${context.chainId}`)),
      el('div', { class: 'overview' }, shown, status),
      failed,
      section('Newest blocks', blocks, el('p', {}, el('a', { href: '#/blocks' }, 'All blocks'))),
      section('Newest transactions', transactions),
    ],
    onHead: latestOnly(show, signal),
  }
}

/** @param {Head} head */
function headParts({ number, hash, timestamp }) {
  return [
    el('p', { class: 'quiet' }, 'Head'),
    el('p', { class: 'height' }, blockLink(number)),
    el('p', { class: 'quiet' }, age(timestamp)),
    el('p', {}, blockHashLink(hash)),
  ]
}

/**
 * @param {Context} context
 * @param {bigint} from
 * @param {AbortSignal} signal
 * @returns {Promise<Block[]>}
 */
async function readBlocks({ client }, from, signal) {
  const blocks = await client.all(blockCalls(from, BLOCKS), signal)
  return blocks.filter((block) => block !== null)
}

/**
 * @param {Context} context
 * @param {AbortSignal} signal
 * @returns {Promise<[string, string][]>}
 */
async function readStatus({ client, methods, clientVersion }, signal) {
  const wanted = [
    ...['eth_gasPrice', 'net_peerCount', 'eth_syncing', 'txpool_status', 'eth_capabilities'],
    'hardhat_metadata',
  ]
  const asked = wanted.filter((name) => methods.has(name))
  const settled = await client.settle(
    asked.map((method) => ({ method })),
    signal,
  )
  const answers = new Map(
    settled.flatMap((one, index) => (one.status === 'fulfilled' ? [[asked[index] ?? '', one.value]] : [])),
  )
  /** @type {[string, string][]} */
  const entries = [['Client', clientVersion]]
  const forked = answers.get('hardhat_metadata')?.forkedNetwork
  if (forked !== undefined) entries.push(['Fork of', forkText(forked)])
  if (answers.has('eth_gasPrice'))
    entries.push(['Gas price', `${formatInteger(BigInt(answers.get('eth_gasPrice')))} wei`])
  if (answers.has('eth_syncing')) entries.push(['Synchronisation', syncText(answers.get('eth_syncing'))])
  if (answers.has('net_peerCount')) entries.push(['Peers', String(Number(answers.get('net_peerCount')))])
  if (answers.has('txpool_status'))
    entries.push(['Waiting transactions', poolText(answers.get('txpool_status'))])
  if (answers.has('eth_capabilities')) entries.push(['States', keptText(answers.get('eth_capabilities'))])
  return entries
}

/**
 * States that the node keeps.
 * @param {any} capabilities
 */
function keptText({ state, stateproofs }) {
  const [values, proofs] = [BigInt(state.oldestBlock), BigInt(stateproofs.oldestBlock)]
  if (values === 0n && proofs === 0n) return 'of all blocks'
  const from = (/** @type {bigint} */ first) =>
    first === 0n ? 'of all blocks' : `from block ${formatInteger(first)} on`
  return values === proofs ? from(values) : `${from(values)}, with proofs ${from(proofs)}`
}

/**
 * What this chain is a fork of.
 * @param {any} network
 */
function forkText({ chainId, forkBlockNumber, upstream }) {
  return `${networkName(chainId)}, block ${formatInteger(BigInt(forkBlockNumber))}, read from ${upstream}`
}

/** @param {any} syncing */
function syncText(syncing) {
  if (syncing === false) return 'not under way'
  return `block ${formatInteger(BigInt(syncing.currentBlock))} of ${formatInteger(BigInt(syncing.highestBlock))}`
}

/** @param {any} status */
function poolText({ pending, queued }) {
  return `${formatInteger(BigInt(pending))} ready, ${formatInteger(BigInt(queued))} behind a gap`
}

/**
 * @param {Context} context
 * @param {readonly Block[]} blocks
 */
function blockTable(context, blocks) {
  return table(
    'Newest blocks',
    BLOCK_COLUMNS,
    blocks.map((block) => blockRow(context, block)),
  )
}

/** @param {readonly Block[]} blocks */
function newestTransactions(blocks) {
  return blocks
    .flatMap((block) => fullTransactions(block).toReversed())
    .filter((transaction) => !isReward(transaction))
    .slice(0, TRANSACTIONS)
}

/**
 * Runs a task for the newest value only: what comes while it runs waits, and only the last of it.
 * @template T
 * @param {(value: T) => Promise<void>} task
 * @param {AbortSignal} signal
 * @returns {(value: T) => void}
 */
function latestOnly(task, signal) {
  /** @type {{ value: T } | null} */
  let waiting = null
  let isRunning = false
  const run = async () => {
    isRunning = true
    while (waiting !== null && !signal.aborted) {
      const { value } = waiting
      waiting = null
      // The next head brings another try.
      await task(value).catch(() => {})
    }
    isRunning = false
  }
  return (value) => {
    waiting = { value }
    if (!isRunning) void run()
  }
}
