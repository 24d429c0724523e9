/** @import { Child, Context, Log, Token } from '../types.js' */
import { addressOfWord, uintAt } from '../chain/abi.js'
import { EVENTS } from '../chain/signatures.js'
import { el } from '../ui/dom.js'
import { addressLink, blockLink, transactionLink } from '../ui/links.js'
import { folded, longText } from '../ui/parts.js'
import { said } from '../ui/said.js'
import { tokenAmount } from '../ui/tokenAmount.js'
import { byLine, valueList } from '../ui/values.js'

/**
 * A list of logs, with the parameters of well-known events.
 * @param {Context} context
 * @param {readonly Log[]} logs
 * @param {ReadonlyMap<string, Token>} tokens by address: their amounts are shown in their units
 * @param {boolean} [isPlaced] whether each says where it comes from
 */
export function logList(context, logs, tokens, isPlaced = false) {
  if (logs.length === 0) return el('p', { class: 'quiet' }, 'None.')
  return el(
    'ol',
    { class: 'logs' },
    ...logs.map((log) =>
      el(
        'li',
        {},
        el('p', { class: 'line' }, ...titleOf(context, log, isPlaced)),
        eventLine(context, log, tokens.get(log.address.toLowerCase())),
        folded(
          'Raw log',
          topicList(log),
          log.data.length > 2
            ? longText(log.data, `Data of log ${Number(log.logIndex)} of block ${Number(log.blockNumber)}`)
            : null,
        ),
      ),
    ),
  )
}

/**
 * @param {Context} context
 * @param {Log} log
 * @param {boolean} isPlaced
 * @returns {Child[]}
 */
function titleOf(context, log, isPlaced) {
  const number = el('span', { class: 'quiet' }, `Log ${Number(log.logIndex)}`)
  if (!isPlaced) return [number, addressLink(context, log.address)]
  return ['Block ', blockLink(BigInt(log.blockNumber)), transactionLink(log.transactionHash), number]
}

/**
 * @param {Context} context
 * @param {Log} log
 * @param {Token | undefined} token
 */
function eventLine(context, log, token) {
  const { topics, data } = log
  const event = EVENTS.get(topics[0] ?? '')
  const amount = uintAt(data, 0)
  const [, first, second] = topics
  // The same event with another layout, as that of unique tokens, has no amount in its data.
  if (event === undefined || first === undefined || second === undefined || amount === null) {
    return decodedEvent(context, log)
  }
  const [from = '', to = ''] = event.parties
  return el(
    'p',
    { class: 'line' },
    el('strong', {}, event.name),
    `${from} `,
    addressLink(context, addressOfWord(first)),
    `${to} `,
    addressLink(context, addressOfWord(second)),
    `${event.amount} `,
    el('span', {}, tokenAmount(amount, token)),
  )
}

/**
 * An event in the words of an ABI, or its first topic.
 * @param {Context} context
 * @param {Log} log
 */
function decodedEvent(context, log) {
  const decoded = context.contracts.event(log)
  if (decoded === null) {
    const [topic] = log.topics
    return topic === undefined ? null : el('p', { class: 'line quiet' }, 'Event', el('code', {}, topic))
  }
  return el(
    'div',
    {},
    el('p', { class: 'line' }, el('strong', {}, said(decoded.item.name)), byLine(decoded)),
    valueList(context, decoded.item.inputs, decoded.values),
  )
}

/** @param {Log} log */
function topicList({ topics }) {
  return el(
    'ol',
    { class: 'topics', start: 0 },
    ...topics.map((topic) => el('li', {}, el('code', {}, topic))),
  )
}
