/** @import { Child, Context, FailedCall } from '../types.js' */
import { CONSOLE, consoleText } from '../abi/console.js'
import { decodedText } from '../abi/describe.js'
import { readProject } from '../abi/project.js'
import { nativeName } from '../chain/address.js'
import { formatInteger, formatRbtc } from '../chain/amounts.js'
import { visibleText } from '../chain/text.js'
import { amount } from '../ui/amount.js'
import { el, fill } from '../ui/dom.js'
import { addressLink, blockLink } from '../ui/links.js'
import { facts, section } from '../ui/parts.js'
import { said } from '../ui/said.js'
import { age } from '../ui/time.js'
import { functionName } from './calls.js'
import { reasonOf } from './reason.js'

const METHOD = 'evm_getFailedCalls'
/** Milliseconds between two looks: no block tells of a call that failed. */
const PAUSE = 2000
const MAX_REASON_CHARACTERS = 1000
const MAX_PRINTED_CHARACTERS = 4000

/**
 * Calls and estimates that failed, kept up to date while the view is shown: a tool that estimates first sends nothing
 * when that fails, and no block has a trace of it.
 * @param {Context} context
 * @param {{ most?: number, empty?: Child }} options the number that is shown; what stands there when there are none,
 *   nothing at all unless given
 * @param {AbortSignal} signal
 * @returns {Promise<HTMLElement>}
 */
export async function failedCalls(context, { most = Number.POSITIVE_INFINITY, empty }, signal) {
  const place = el('div', {})
  if (!context.methods.has(METHOD)) return place
  /** What was shown already stays as it is, open or closed. @type {Map<string, HTMLElement>} */
  let shown = new Map()
  let isAsking = false
  const look = async () => {
    if (isAsking || signal.aborted || document.hidden) return
    isAsking = true
    try {
      /** @type {FailedCall[]} */
      const calls = (await context.client.call(METHOD, [], signal)).slice(0, most)
      // A node that was started again counts from 1 again.
      const keyOf = (/** @type {FailedCall} */ { number, time }) => `${number} ${time}`
      const fresh = calls.filter((call) => !shown.has(keyOf(call)))
      if (fresh.length === 0 && calls.length === shown.size && place.hasChildNodes()) return
      const names = await contractNames(context, fresh, signal)
      const isFirst = shown.size === 0
      shown = new Map(
        calls.map((call, index) => [
          keyOf(call),
          shown.get(keyOf(call)) ?? entry(context, call, names, isFirst && index === 0),
        ]),
      )
      fill(place, parts([...shown.values()], empty))
    } finally {
      isAsking = false
    }
  }
  await look()
  // The next look is another try.
  const timer = setInterval(() => void look().catch(() => {}), PAUSE)
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  return place
}

/**
 * @param {readonly HTMLElement[]} entries
 * @param {Child | undefined} empty
 */
function parts(entries, empty) {
  if (entries.length === 0 && empty === undefined) return []
  return section(
    'Failed calls and estimates',
    entries.length === 0 ? el('p', { class: 'quiet' }, empty ?? null) : entries,
  )
}

/**
 * One call, closed unless it is the newest at first.
 * @param {Context} context
 * @param {FailedCall} call
 * @param {ReadonlyMap<string, string>} names of contracts
 * @param {boolean} isOpen
 */
function entry(context, call, names, isOpen) {
  const { method, time, from, to, value, block, gas, gasUsed } = call
  const reason = reasonText(context, call)
  return el(
    'details',
    { class: 'failed', open: isOpen },
    el(
      'summary',
      {},
      el('span', { class: 'tag bad' }, 'failed'),
      ` ${visibleText(method)} `,
      el('code', {}, visibleText(targetText(context, call, names), MAX_REASON_CHARACTERS)),
      ' ',
      age(time),
    ),
    facts([
      ['Failed because', said(reason, MAX_REASON_CHARACTERS)],
      ['console.log', printedLines(call)],
      ['From', addressLink(context, from)],
      ['To', to === null ? 'creates a contract' : addressLink(context, to)],
      ['Value', BigInt(value) === 0n ? null : amount(formatRbtc(BigInt(value)))],
      ['Gas used', `${formatInteger(BigInt(gasUsed))} of ${formatInteger(BigInt(gas))}`],
      ['On the state of block', blockLink(BigInt(block))],
    ]),
  )
}

/**
 * `Vault.withdraw(amount: 700)`, as far as the ABIs have it.
 * @param {Context} context
 * @param {FailedCall} call
 * @param {ReadonlyMap<string, string>} names
 */
function targetText(context, { to, implementation, input }, names) {
  if (to === null) return 'creation of a contract'
  const known = [to, implementation].flatMap((address) => names.get(address ?? '') ?? [])
  const decoded = context.contracts.call(input, implementation ?? to)
  const called = decoded === null ? functionName(context, input, to) : decodedText(decoded)
  const contract = known.join(' → ') || nativeName(to)
  if (called === null) return contract ?? to
  return contract === null ? called : `${contract}.${called}`
}

/**
 * @param {Context} context
 * @param {FailedCall} call
 */
function reasonText(context, { error, output, to, implementation }) {
  if (output === null) return error
  return reasonOf(context, output, implementation ?? to) ?? 'The contract reverted without a reason.'
}

/** What the contracts printed; null for nothing. @param {FailedCall} call */
function printedLines({ console, moreConsole }) {
  if (console.length === 0) return null
  return [
    ...console.map((input) =>
      el(
        'div',
        { class: 'printed' },
        visibleText(consoleText(CONSOLE, input) ?? `(not decoded: ${input})`, MAX_PRINTED_CHARACTERS),
      ),
    ),
    moreConsole === 0 ? null : el('div', { class: 'quiet' }, `… and ${formatInteger(moreConsole)} more`),
  ]
}

/**
 * Names of called contracts by their code, which may be of a build that the page has not read yet.
 * @param {Context} context
 * @param {readonly FailedCall[]} calls
 * @param {AbortSignal} signal
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
async function contractNames(context, calls, signal) {
  const called = new Set(calls.flatMap(({ to, implementation }) => [to, implementation]))
  const addresses = [...called].filter((address) => address !== null)
  if (addresses.length === 0) return new Map()
  const requests = addresses.map((address) => ({ method: 'eth_getCode', params: [address, 'latest'] }))
  /** @type {string[]} */
  const codes = await context.client.all(requests, signal)
  const found = () => addresses.map((address, index) => context.contracts.of(address, codes[index] ?? '0x'))
  if (found().includes(null)) await readProject(context)
  return new Map(
    found().flatMap((artifact, index) =>
      artifact === null ? [] : [[addresses[index] ?? '', artifact.name]],
    ),
  )
}
