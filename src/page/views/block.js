/** @import { Block, Context, Head, ViewMaker } from '../types.js' */
import { formatInteger, formatRbtc, formatShare } from '../chain/amounts.js'
import { bytesOfHex, textInHex, visibleText } from '../chain/text.js'
import { outcomesOfBlock } from '../rpc/outcomes.js'
import { el, fill } from '../ui/dom.js'
import { addressLink, blockHashLink, blockLink, wholeHash } from '../ui/links.js'
import { facts, folded, heading, longText, section, table } from '../ui/parts.js'
import { age, dateText } from '../ui/time.js'
import { fullTransactions } from './blockRows.js'
import { missing } from './notFound.js'
import { isReward, transactionTable } from './transactionRows.js'

const HASH = /^0x[0-9a-f]{64}$/i
const NUMBER = /^\d{1,15}$/

/** One block, by number or hash. @type {ViewMaker} */
export const blockView = async (context, [id = ''], signal) => {
  const isHash = HASH.test(id)
  if (!isHash && !NUMBER.test(id)) return missing('There is no such block')
  /** @type {Block | null} */
  const block = await (isHash
    ? context.client.call('eth_getBlockByHash', [id, true], signal)
    : context.client.call('eth_getBlockByNumber', [`0x${BigInt(id).toString(16)}`, true], signal))
  if (block === null) return missing('There is no such block')
  const [canonical, uncles, outcomes] = await Promise.all([
    context.client.call('eth_getBlockByNumber', [block.number, false], signal),
    readUncles(context, block, signal),
    outcomesOfBlock(context, block.hash, signal),
  ])
  const number = BigInt(block.number)
  const next = el('span', {})
  /** @param {bigint} head */
  const linkNext = (head) =>
    fill(next, number < head ? el('a', { href: `#/block/${number + 1n}` }, 'Next →') : null)
  const isCanonical = canonical?.hash === block.hash
  return {
    title: `Block ${formatInteger(number)}`,
    content: [
      heading(
        `Block ${formatInteger(number)}`,
        isCanonical ? null : el('span', { class: 'tag warn' }, 'side block'),
        el(
          'nav',
          { class: 'pages', 'aria-label': 'Neighbouring blocks' },
          number > 0n ? el('a', { href: `#/block/${number - 1n}` }, '← Previous') : null,
          next,
        ),
      ),
      facts(headerFacts(context, block)),
      section(
        transactionTitle(block),
        transactionTable(context, `Transactions of block ${number}`, {
          transactions: fullTransactions(block),
          outcomes,
          timeOf: () => Number(block.timestamp),
          isOneBlock: true,
        }),
      ),
      section(`Uncles (${block.uncles.length})`, uncleTable(context, uncles)),
      section('Roots and merged mining', facts(rootFacts(block)), ...miningParts(block)),
    ],
    onHead: (/** @type {Head} */ head) => linkNext(head.number),
  }
}

/** How many transactions a block has, without the one that hands out rewards. @param {Block} block */
function transactionTitle(block) {
  const all = fullTransactions(block)
  const users = all.filter((transaction) => !isReward(transaction)).length
  return `Transactions (${users})${users === all.length ? '' : ' and that of rewards'}`
}

/**
 * @param {Context} context
 * @param {Block} block
 * @param {AbortSignal} signal
 * @returns {Promise<Block[]>}
 */
async function readUncles({ client }, block, signal) {
  if (block.uncles.length === 0) return []
  const calls = block.uncles.map((_, index) => ({
    method: 'eth_getUncleByBlockHashAndIndex',
    params: [block.hash, `0x${index.toString(16)}`],
  }))
  return (await client.all(calls, signal)).filter((uncle) => uncle !== null)
}

/**
 * @param {Context} context
 * @param {Block} block
 * @returns {[string, import('../types.js').Child][]}
 */
function headerFacts(context, block) {
  const timestamp = Number(block.timestamp)
  const share = formatShare(BigInt(block.gasUsed), BigInt(block.gasLimit))
  const gas = `${formatInteger(BigInt(block.gasUsed))} of ${formatInteger(BigInt(block.gasLimit))}`
  return [
    ['Hash', wholeHash(block.hash, 'block hash')],
    ['Parent', BigInt(block.number) === 0n ? null : blockHashLink(block.parentHash, true)],
    ['Time', [dateText(timestamp), ' · ', age(timestamp)]],
    ['Miner', addressLink(context, block.miner, true)],
    ['Gas used', share === '' ? gas : `${gas} · ${share}`],
    [
      'Minimum gas price',
      block.minimumGasPrice === null ? null : `${formatInteger(BigInt(block.minimumGasPrice))} wei`,
    ],
    ['Fees', formatRbtc(BigInt(block.paidFees))],
    ['Difficulty', formatInteger(BigInt(block.difficulty))],
    ['Total difficulty', formatInteger(BigInt(block.totalDifficulty))],
    ['Size', `${formatInteger(BigInt(block.size))} bytes`],
    ['Extra data', extraData(block.extraData)],
    [
      'Parallel sublists',
      block.rskPteEdges === null || block.rskPteEdges.length === 0
        ? null
        : `end at ${block.rskPteEdges.join(', ')}`,
    ],
  ]
}

/** @param {string} hex */
function extraData(hex) {
  if (hex.length <= 2) return 'none'
  const text = textInHex(hex)
  return [
    text === null ? null : [el('bdi', { class: 'said' }, visibleText(text)), ' · '],
    el('code', {}, hex),
  ]
}

/**
 * @param {Block} block
 * @returns {[string, import('../types.js').Child][]}
 */
function rootFacts(block) {
  return [
    ['State root', wholeHash(block.stateRoot, 'state root')],
    ['Transactions root', wholeHash(block.transactionsRoot, 'transactions root')],
    ['Receipts root', wholeHash(block.receiptsRoot, 'receipts root')],
    ['Hash for merged mining', wholeHash(block.hashForMergedMining, 'hash for merged mining')],
  ]
}

/** @param {Block} block */
function miningParts(block) {
  return [
    ['Bitcoin header', block.bitcoinMergedMiningHeader],
    ['Bitcoin coinbase transaction', block.bitcoinMergedMiningCoinbaseTransaction],
    ['Merkle proof', block.bitcoinMergedMiningMerkleProof],
  ].map(([title = '', hex]) =>
    folded(
      `${title} · ${formatInteger(bytesOfHex(hex ?? '0x').length)} bytes`,
      longText(hex ?? 'none', title),
    ),
  )
}

/**
 * @param {Context} context
 * @param {readonly Block[]} uncles
 */
function uncleTable(context, uncles) {
  return table(
    'Uncles',
    [{ title: 'Height' }, { title: 'Hash' }, { title: 'Miner' }, { title: 'Difficulty', kind: 'end' }],
    uncles.map((uncle) => [
      blockLink(BigInt(uncle.number)),
      blockHashLink(uncle.hash),
      addressLink(context, uncle.miner),
      formatInteger(BigInt(uncle.difficulty)),
    ]),
  )
}
