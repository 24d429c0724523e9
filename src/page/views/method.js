/** @import { Context, Method, ViewMaker } from '../types.js' */
import { isAddress } from '../chain/address.js'
import { RpcFailure } from '../rpc/client.js'
import { kindOfHash } from '../rpc/hashKind.js'
import { announce } from '../ui/announce.js'
import { orNull } from '../ui/checkedField.js'
import { copyButton } from '../ui/copy.js'
import { el, fill } from '../ui/dom.js'
import { addressLink, blockHashLink, transactionLink } from '../ui/links.js'
import { paramInput, typeText } from '../ui/paramInput.js'
import { heading, longText, notice, section } from '../ui/parts.js'
import { missing } from './notFound.js'
import { snippets } from './snippets.js'

/** Methods that only a WebSocket can ask. */
const OVER_SOCKET = new Set(['eth_subscribe', 'eth_unsubscribe'])
const HASH = /^0x[0-9a-f]{64}$/
const LONGEST_SHOWN = 200_000

/** One method: what it does, a form to try it, the same request for other tools. @type {ViewMaker} */
export const methodView = async (context, [name = ''], signal) => {
  const method = context.methods.find(name)
  if (method === null)
    return missing('There is no such method', 'It does not exist, or is not open on this node.')
  return {
    title: method.name,
    content: [
      heading(method.name),
      el('p', {}, method.description),
      el('p', { class: 'quiet' }, `Result: ${typeText(method.result.schema)}`),
      OVER_SOCKET.has(method.name)
        ? notice('This method is asked over a WebSocket; the form sends over HTTP.')
        : '',
      ...tryIt(context, method, signal),
    ].filter((part) => part instanceof Node),
  }
}

/**
 * @param {Context} context
 * @param {Method} method
 * @param {AbortSignal} signal
 */
function tryIt(context, method, signal) {
  const inputs = method.params.map(paramInput)
  const result = el('div', { class: 'result' })
  const examples = el('div', {})
  const showExamples = () => {
    const params = orNull(() => inputs.map(({ peek }) => peek()))
    fill(
      examples,
      params === null
        ? el('p', { class: 'quiet' }, 'Shown when the fields are filled in.')
        : exampleParts(context, method.name, paramsOf(params)),
    )
  }
  const button = el('button', { type: 'submit' }, 'Send')
  const form = el(
    'form',
    {
      class: 'try',
      novalidate: true,
      on: {
        input: () => {
          // What stands there belongs to what was asked before.
          fill(result, null)
          showExamples()
        },
        submit: (event) => {
          event.preventDefault()
          void send()
        },
      },
    },
    ...inputs.map(({ element }) => element),
    button,
  )
  const send = async () => {
    const values = orNull(() => inputs.map(({ read }) => read()))
    if (values === null) return
    fill(result, null)
    button.disabled = true
    const began = performance.now()
    try {
      const value = await context.client.call(method.name, paramsOf(values), signal)
      showResult(result, value, performance.now() - began)
      const shown = result.firstChild
      const link = await linkTo(context, value, signal)
      if (link !== null && result.firstChild === shown) result.append(link)
    } catch (error) {
      if (!signal.aborted) fill(result, failureParts(error))
    } finally {
      button.disabled = false
    }
  }
  showExamples()
  return [section('Try it', form, result), section('Elsewhere', examples)]
}

/**
 * Values by position: what is left out at the end stays out, what is left out before others is null.
 * @param {readonly unknown[]} values
 */
function paramsOf(values) {
  const last = values.findLastIndex((value) => value !== undefined)
  return values.slice(0, last + 1).map((value) => value ?? null)
}

/**
 * @param {Element} place
 * @param {unknown} value
 * @param {number} milliseconds
 */
function showResult(place, value, milliseconds) {
  const text = JSON.stringify(value, null, 2)
  const isCut = text.length > LONGEST_SHOWN
  fill(place, [
    el(
      'p',
      { class: 'line' },
      el('strong', {}, 'Result'),
      el('span', { class: 'quiet' }, `${milliseconds.toFixed(0)} ms`),
      copyButton(text, 'result', 'Copy'),
    ),
    longText(isCut ? `${text.slice(0, LONGEST_SHOWN)}\n… cut; Copy takes all of it` : text, 'Result'),
  ])
  announce('the result is there')
}

/**
 * A link to what a result names: a transaction, a block or an address; null where it names nothing here.
 * @param {Context} context
 * @param {unknown} value
 * @param {AbortSignal} signal
 */
async function linkTo(context, value, signal) {
  if (typeof value !== 'string') return null
  if (isAddress(value)) return el('p', {}, 'The address ', addressLink(context, value))
  if (!HASH.test(value)) return null
  const kind = await kindOfHash(context.client, value, signal)
  if (kind === null) return null
  return kind === 'tx'
    ? el('p', {}, 'The transaction ', transactionLink(value))
    : el('p', {}, 'The block ', blockHashLink(value))
}

/** @param {unknown} error */
function failureParts(error) {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof RpcFailure && error.code !== null ? `Error ${error.code}` : 'No answer'
  const data = error instanceof RpcFailure && error.data !== undefined ? JSON.stringify(error.data) : null
  announce(`${code}: ${message}`)
  return [
    el('p', { class: 'line' }, el('span', { class: 'tag bad' }, code), el('bdi', {}, message)),
    data === null ? null : longText(data, 'Data of the error'),
  ]
}

/**
 * @param {Context} context
 * @param {string} method
 * @param {readonly unknown[]} params
 */
function exampleParts({ endpoint }, method, params) {
  return snippets(endpoint.exampleUrl, method, params).map(({ tool, text }) =>
    el(
      'div',
      { class: 'snippet' },
      el('p', { class: 'line' }, el('strong', {}, tool), copyButton(text, `${tool} example`, 'Copy')),
      longText(text, `${tool} example`),
    ),
  )
}
