/** @import { Context, Trace, Transaction, Child } from '../types.js' */
import { consoleText } from '../abi/console.js'
import { decodeValues } from '../abi/decode.js'
import { decodedText, valuesText } from '../abi/describe.js'
import { formatInteger, formatRbtc } from '../chain/amounts.js'
import { FUNCTIONS } from '../chain/signatures.js'
import { visibleText } from '../chain/text.js'
import { amount } from '../ui/amount.js'
import { el } from '../ui/dom.js'
import { addressLink } from '../ui/links.js'

const MAX_WORD_CHARACTERS = 40
const MAX_CALL_CHARACTERS = 500

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
  const printed = consoleText(action.to ?? null, action.input ?? '0x')
  if (printed !== null)
    return [
      depthOf(traceAddress),
      el('strong', {}, 'console.log'),
      el('span', { class: 'printed' }, visibleText(printed, MAX_CALL_CHARACTERS)),
    ]
  const kind = type === 'call' ? (action.callType ?? 'call') : type
  const target = action.to ?? result?.address ?? action.refundAddress ?? null
  const value = BigInt(action.value ?? action.balance ?? '0x0')
  const name =
    type === 'call' ? callText(context, action.input ?? '0x', action.to ?? null, result?.output) : null
  return [
    depthOf(traceAddress),
    el('strong', {}, kind),
    addressLink(context, action.from ?? action.address ?? null),
    '→',
    target === null ? 'nothing' : addressLink(context, target),
    name === null ? null : el('code', {}, visibleText(name, MAX_CALL_CHARACTERS)),
    value === 0n ? null : el('span', {}, amount(formatRbtc(value))),
    result?.gasUsed === undefined
      ? null
      : el('span', { class: 'quiet' }, `${formatInteger(BigInt(result.gasUsed))} gas`),
    error === undefined ? null : el('span', { class: 'tag bad' }, visibleText(error)),
  ]
}

/** The indentation, for who does not see it. @param {readonly number[]} traceAddress */
function depthOf({ length }) {
  return el('span', { class: 'unseen' }, `depth ${length}: `)
}

/**
 * What a transaction does, in a word: a function, a payment or a creation.
 * @param {Context} context
 * @param {Transaction} transaction
 */
export function methodTag(context, { to, input }) {
  if (to === null) return el('span', { class: 'quiet' }, 'creation')
  const name = functionName(context, input, to)
  if (name === null) return el('span', { class: 'quiet' }, input.length > 2 ? 'data' : 'payment')
  return el(
    'code',
    { title: visibleText(name) },
    visibleText(name.replace(/\(.*$/s, ''), MAX_WORD_CHARACTERS),
  )
}

/**
 * The function that some input calls, by name where an ABI or everybody knows it; null for plain payments.
 * @param {Context} context
 * @param {string} input
 * @param {string | null} to
 */
export function functionName({ contracts }, input, to) {
  if (input.length < 10) return null
  const selector = input.slice(0, 10)
  return contracts.functionOf(selector, to)?.signature ?? FUNCTIONS.get(selector) ?? selector
}

/**
 * A call with its values in one line; without them where no ABI has it.
 * @param {Context} context
 * @param {string} input
 * @param {string | null} to
 * @param {string | undefined} output
 */
function callText(context, input, to, output) {
  const call = context.contracts.call(input, to)
  if (call === null) return functionName(context, input, to)
  const { outputs } = call.item
  const types = outputs.map(({ type }) => type)
  const values = output === undefined || types.length === 0 ? null : decodeValues(types, output)
  return `${decodedText(call)}${values === null ? '' : ` → ${valuesText(outputs, values)}`}`
}
