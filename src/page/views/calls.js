/** @import { Context, Trace, Transaction, Child } from '../types.js' */
import { formatInteger, formatRbtc } from '../chain/amounts.js'
import { FUNCTIONS } from '../chain/signatures.js'
import { visibleText } from '../chain/text.js'
import { el } from '../ui/dom.js'
import { addressLink } from '../ui/links.js'

/**
 * The calls of a transaction in the order of execution, each under the call that made it.
 * @param {Context} context
 * @param {readonly Trace[]} traces
 */
export function callTree(context, traces) {
  return el(
    'ol',
    { class: 'calls' },
    ...traces.map((trace) => {
      const item = el('li', {}, el('p', { class: 'line' }, ...parts(context, trace)))
      item.style.setProperty('--depth', String(Math.min(12, trace.traceAddress.length)))
      return item
    }),
  )
}

/**
 * @param {Context} context
 * @param {Trace} trace
 * @returns {Child[]}
 */
function parts(context, { type, action, result, error, traceAddress }) {
  const kind = type === 'call' ? (action.callType ?? 'call') : type
  const target = action.to ?? result?.address ?? action.refundAddress ?? null
  const value = BigInt(action.value ?? action.balance ?? '0x0')
  const name = type === 'call' ? functionName(action.input ?? '0x') : null
  return [
    el('span', { class: 'unseen' }, `depth ${traceAddress.length}: `),
    el('strong', {}, kind),
    addressLink(context, action.from ?? action.address ?? null),
    '→',
    target === null ? 'nothing' : addressLink(context, target),
    name === null ? null : el('code', {}, name),
    value === 0n ? null : el('span', {}, formatRbtc(value)),
    result?.gasUsed === undefined
      ? null
      : el('span', { class: 'quiet' }, `${formatInteger(BigInt(result.gasUsed))} gas`),
    error === undefined ? null : el('span', { class: 'tag bad' }, visibleText(error)),
  ]
}

/**
 * What a transaction does, in a word: a function, a payment or a creation.
 * @param {Context} _context
 * @param {Transaction} transaction
 */
export function methodTag(_context, { to, input }) {
  if (to === null) return el('span', { class: 'quiet' }, 'creation')
  const name = functionName(input)
  if (name === null) return el('span', { class: 'quiet' }, input.length > 2 ? 'data' : 'payment')
  return el('code', { title: name }, name.replace(/\(.*$/, ''))
}

/**
 * The function that some input calls, by name where everybody knows it; null for plain payments.
 * @param {string} input
 */
export function functionName(input) {
  if (input.length < 10) return null
  const selector = input.slice(0, 10)
  return FUNCTIONS.get(selector) ?? selector
}
