/** @import { Block, Child, Context, Head, Receipt, Trace, Transaction, ViewMaker } from '../types.js' */
import { formatInteger, formatRbtc, formatShare } from '../chain/amounts.js'
import { visibleText } from '../chain/text.js'
import { RpcFailure } from '../rpc/client.js'
import { tokensOfLogs } from '../rpc/tokens.js'
import { amount } from '../ui/amount.js'
import { el, fill } from '../ui/dom.js'
import { addressLink, blockLink, wholeHash } from '../ui/links.js'
import { facts, folded, heading, longText, section } from '../ui/parts.js'
import { said } from '../ui/said.js'
import { age, dateText } from '../ui/time.js'
import { byLine, valueList } from '../ui/values.js'
import { callTree, functionName } from './calls.js'
import { logList } from './logTable.js'
import { missing } from './notFound.js'
import { reasonOf } from './reason.js'
import { isReward, outcomeTag } from './transactionRows.js'

const HASH = /^0x[0-9a-f]{64}$/i
const MAX_REASON_CHARACTERS = 1000

/** One transaction: its receipt, logs, calls and why it failed. @type {ViewMaker} */
export const transactionView = async (context, [hash = ''], signal) => {
  if (!HASH.test(hash)) return missing('There is no such transaction')
  /** @type {[Transaction | null, Receipt | null]} */
  const [transaction, receipt] = /** @type {any} */ (
    await context.client.all(
      [
        { method: 'eth_getTransactionByHash', params: [hash] },
        { method: 'eth_getTransactionReceipt', params: [hash] },
      ],
      signal,
    )
  )
  if (transaction === null) return missing('There is no such transaction')
  const [block, traces, tokens] = await Promise.all([
    readBlock(context, transaction, signal),
    receipt === null ? null : readTraces(context, hash, signal),
    tokensOfLogs(context, receipt?.logs ?? [], signal),
  ])
  const reason = receipt?.status === '0x0' ? await failureReason(context, transaction, traces, signal) : null
  const confirmations = el('span', { class: 'quiet' })
  return {
    title: `Transaction ${hash.slice(0, 10)}…`,
    content: [
      heading(
        'Transaction',
        statusTag(receipt),
        isReward(transaction) ? el('span', { class: 'tag' }, 'rewards of REMASC') : null,
      ),
      facts([
        ['Hash', wholeHash(transaction.hash, 'transaction hash')],
        ['Failed because', reason === null ? null : said(reason, MAX_REASON_CHARACTERS)],
        ...placeFacts(transaction, block, confirmations),
        [
          'From',
          isReward(transaction)
            ? 'nobody: rewards are handed out'
            : addressLink(context, transaction.from, true),
        ],
        ...targetFacts(context, transaction, receipt),
        ['Value', amount(formatRbtc(BigInt(transaction.value)))],
        ...feeFacts(transaction, receipt),
        ['Nonce', formatInteger(BigInt(transaction.nonce))],
        ['Function', functionLine(context, transaction)],
      ]),
      argumentSection(context, transaction) ?? '',
      receipt === null
        ? ''
        : section(`Logs (${receipt.logs.length})`, logList(context, receipt.logs, tokens)),
      traces === null ? '' : section(`Calls (${traces.length})`, callTree(context, traces)),
      inputPart(transaction) ?? '',
    ].filter((part) => part instanceof Node),
    onHead: (/** @type {Head} */ { number }) => {
      if (transaction.blockNumber === null) return
      const count = number - BigInt(transaction.blockNumber) + 1n
      if (count > 0n)
        fill(confirmations, ` · ${formatInteger(count)} ${count === 1n ? 'confirmation' : 'confirmations'}`)
    },
  }
}

/** @param {Receipt | null} receipt */
function statusTag(receipt) {
  if (receipt === null) return outcomeTag('waiting')
  return outcomeTag(receipt.status === '0x1' ? 'success' : 'failed')
}

/**
 * @param {Transaction} transaction
 * @param {Block | null} block
 * @param {Node} confirmations
 * @returns {[string, Child][]}
 */
function placeFacts({ blockNumber, transactionIndex }, block, confirmations) {
  if (blockNumber === null) return [['Block', 'not in a block yet']]
  const timestamp = block === null ? null : Number(block.timestamp)
  return [
    ['Block', [blockLink(BigInt(blockNumber)), ` · position ${Number(transactionIndex)}`, confirmations]],
    ['Time', timestamp === null ? null : [dateText(timestamp), ' · ', age(timestamp)]],
  ]
}

/**
 * @param {Context} context
 * @param {Transaction} transaction
 * @param {Receipt | null} receipt
 * @returns {[string, Child][]}
 */
function targetFacts(context, { to }, receipt) {
  if (to !== null) return [['To', addressLink(context, to, true)]]
  const created = receipt?.contractAddress ?? null
  return [['Creates', created === null ? 'a contract' : addressLink(context, created, true)]]
}

/**
 * @param {Transaction} transaction
 * @param {Receipt | null} receipt
 * @returns {[string, Child][]}
 */
function feeFacts({ gas, gasPrice }, receipt) {
  const price = `${formatInteger(BigInt(gasPrice))} wei`
  if (receipt === null) {
    return [
      ['Gas limit', formatInteger(BigInt(gas))],
      ['Gas price', price],
    ]
  }
  const used = BigInt(receipt.gasUsed)
  const share = formatShare(used, BigInt(gas))
  return [
    ['Fee', amount(formatRbtc(used * BigInt(gasPrice)))],
    [
      'Gas used',
      `${formatInteger(used)} of ${formatInteger(BigInt(gas))}${share === '' ? '' : ` · ${share}`}`,
    ],
    ['Gas price', price],
  ]
}

/** What was sent along, closed at first. @param {Transaction} transaction */
function inputPart({ to, input }) {
  if (input.length <= 2) return null
  const title = to === null ? 'Init code' : 'Input'
  return folded(`${title} · ${formatInteger((input.length - 2) / 2)} bytes`, longText(input, title))
}

/**
 * @param {Context} context
 * @param {Transaction} transaction
 */
function functionLine(context, { to, input }) {
  const name = to === null ? null : functionName(context, input, to)
  return name === null ? null : el('code', {}, visibleText(name))
}

/**
 * The values that a call was given; null where no ABI has it, or it has none.
 * @param {Context} context
 * @param {Transaction} transaction
 */
function argumentSection(context, { to, input }) {
  const call = to === null ? null : context.contracts.call(input, to)
  if (call === null || call.values.length === 0) return null
  return section('Arguments', el('p', {}, byLine(call)), valueList(context, call.item.inputs, call.values))
}

/**
 * @param {Context} context
 * @param {Transaction} transaction
 * @param {AbortSignal} signal
 * @returns {Promise<Block | null>}
 */
async function readBlock({ client }, { blockHash }, signal) {
  return blockHash === null ? null : client.call('eth_getBlockByHash', [blockHash, false], signal)
}

/**
 * The calls of a transaction; null where traces are not open or not to be had.
 * @param {Context} context
 * @param {string} hash
 * @param {AbortSignal} signal
 * @returns {Promise<readonly Trace[] | null>}
 */
async function readTraces({ client, methods }, hash, signal) {
  if (!methods.has('trace_transaction')) return null
  try {
    return await client.call('trace_transaction', [hash], signal)
  } catch (error) {
    if (error instanceof RpcFailure && !error.wantsKey) return null
    throw error
  }
}

/**
 * What the call of a transaction returned; null where that is not open or not to be had.
 * @param {Context} context
 * @param {string} hash
 * @param {AbortSignal} signal
 * @returns {Promise<string | null>}
 */
async function tracedOutput({ client, methods }, hash, signal) {
  if (!methods.has('debug_traceTransaction')) return null
  try {
    /** @type {{ output?: string }} */
    const call = await client.call('debug_traceTransaction', [hash, { tracer: 'callTracer' }], signal)
    return call.output ?? null
  } catch (error) {
    if (error instanceof RpcFailure && !error.wantsKey) return null
    throw error
  }
}

/**
 * Why a transaction failed: from its trace, or else from calling again what it called, on the state before its
 * block, which may differ from the state in the middle of it.
 * @param {Context} context
 * @param {Transaction} transaction
 * @param {readonly Trace[] | null} traces
 * @param {AbortSignal} signal
 * @returns {Promise<string | null>}
 */
async function failureReason(context, transaction, traces, signal) {
  const root = traces?.find(({ traceAddress }) => traceAddress.length === 0)
  const traced = reasonOf(
    context,
    (await tracedOutput(context, transaction.hash, signal)) ?? '0x',
    transaction.to,
  )
  if (traced !== null) return traced
  const { from, to, gas, gasPrice, value, input, blockNumber } = transaction
  if (blockNumber === null || to === null) return root?.error ?? null
  const before = BigInt(blockNumber) - 1n
  try {
    const call = { from, to, gas, gasPrice, value, data: input }
    await context.client.call('eth_call', [call, `0x${before.toString(16)}`], signal)
    return root?.error ?? null
  } catch (error) {
    if (!(error instanceof RpcFailure) || error.wantsKey) throw error
    const told = typeof error.data === 'string' ? reasonOf(context, error.data, to) : null
    return told ?? root?.error ?? error.message
  }
}
