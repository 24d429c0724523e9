/** @import { Child, Context, Log, Token } from '../types.js' */
import { addressOfWord, uintAt } from '../chain/abi.js'
import { formatInteger } from '../chain/amounts.js'
import { TRANSFER } from '../chain/signatures.js'
import { tokensOfLogs } from '../rpc/tokens.js'
import { el } from '../ui/dom.js'
import { addressLink, blockLink, transactionLink } from '../ui/links.js'
import { table } from '../ui/parts.js'
import { symbolOf, tokenAmount } from '../ui/tokenAmount.js'
import { lookBackSection } from './lookBack.js'

const BALANCE_OF = '0x70a08231'
/** Tokens whose balance is asked for: anybody can send an address any number of them. */
const MAX_BALANCES = 20

/**
 * The transfers of tokens from and to an address, and what it has of these tokens.
 * @param {Context} context
 * @param {string} address in lower case
 * @param {bigint} head
 * @param {AbortSignal} signal
 */
export function transfersSection(context, address, head, signal) {
  return lookBackSection({
    title: 'Token transfers',
    head,
    firstBlocks: 128n,
    laterBlocks: 1024n,
    find: (from, to) => readTransfers(context, address, { from, to }, signal),
    show: async (logs) => {
      const tokens = await tokensOfLogs(context, logs, signal)
      return [
        await balanceTable(context, address, logs, tokens, signal),
        transferTable(context, address, logs, tokens),
      ]
    },
    signal,
  })
}

/**
 * @param {Context} context
 * @param {string} address
 * @param {{ from: bigint, to: bigint }} range
 * @param {AbortSignal} signal
 * @returns {Promise<Log[]>} the newest first
 */
async function readTransfers({ client }, address, { from, to }, signal) {
  const blocks = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` }
  const party = `0x${address.slice(2).padStart(64, '0')}`
  /** @type {Log[][]} */
  const answers = await client.all(
    [
      [TRANSFER, party],
      [TRANSFER, null, party],
    ].map((topics) => ({ method: 'eth_getLogs', params: [{ ...blocks, topics }] })),
    signal,
  )
  // What somebody sends to himself is in both answers.
  const logs = new Map(answers.flat().map((log) => [`${log.blockNumber} ${log.logIndex}`, log]))
  return [...logs.values()].sort(
    (a, b) => Number(b.blockNumber) - Number(a.blockNumber) || Number(b.logIndex) - Number(a.logIndex),
  )
}

/**
 * @param {Context} context
 * @param {string} address
 * @param {readonly Log[]} logs
 * @param {ReadonlyMap<string, Token>} tokens
 * @param {AbortSignal} signal
 */
async function balanceTable(context, address, logs, tokens, signal) {
  if (!context.methods.has('eth_call')) return null
  const asked = [...new Set(logs.map((log) => log.address))].slice(0, MAX_BALANCES)
  const data = `${BALANCE_OF}${address.slice(2).padStart(64, '0')}`
  const settled = await context.client.attempt(
    asked.map((to) => ({ method: 'eth_call', params: [{ to, data }, 'latest'] })),
    signal,
  )
  const rows = asked.flatMap((token, index) => {
    const one = settled[index]
    const balance = one?.status === 'fulfilled' ? uintAt(String(one.value), 0) : null
    if (balance === null) return []
    const known = tokens.get(token)
    return [
      [known === undefined ? '' : symbolOf(known), addressLink(context, token), tokenAmount(balance, known)],
    ]
  })
  return rows.length === 0
    ? null
    : table(
        'Balances of the tokens below',
        [{ title: 'Token' }, { title: 'Contract' }, { title: 'Balance now', kind: 'end' }],
        rows,
      )
}

/**
 * @param {Context} context
 * @param {string} address
 * @param {readonly Log[]} logs
 * @param {ReadonlyMap<string, Token>} tokens
 */
function transferTable(context, address, logs, tokens) {
  return table(
    'Transfers of tokens',
    [
      { title: 'Transaction' },
      { title: 'Block' },
      { title: 'Direction' },
      { title: 'From or to' },
      { title: 'Contract' },
      { title: 'Amount', kind: 'end' },
    ],
    logs.map((log) => {
      const [, from, to] = log.topics.map(addressOfWord)
      const isSent = from === address
      return [
        transactionLink(log.transactionHash),
        blockLink(BigInt(log.blockNumber)),
        isSent ? (to === address ? 'to itself' : 'out') : 'in',
        addressLink(context, (isSent ? to : from) ?? null),
        addressLink(context, log.address),
        amountOf(log, tokens.get(log.address.toLowerCase())),
      ]
    }),
    'None.',
    { kind: 'cards' },
  )
}

/**
 * The amount of a transfer, or the number of a unique token.
 * @param {Log} log
 * @param {Token | undefined} token
 * @returns {Child}
 */
function amountOf({ topics, data }, token) {
  const [, , , id] = topics
  if (id !== undefined) return el('span', { class: 'said' }, `no. ${formatInteger(BigInt(id))}`)
  const amount = uintAt(data, 0)
  return amount === null ? 'unknown' : tokenAmount(amount, token)
}
