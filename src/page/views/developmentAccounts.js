/** @import { Child, Context } from '../types.js' */
import { formatRbtc } from '../chain/amounts.js'
import { amount } from '../ui/amount.js'
import { copyButton } from '../ui/copy.js'
import { el, fill } from '../ui/dom.js'
import { addressLink } from '../ui/links.js'
import { notice, table } from '../ui/parts.js'
import { refusal } from './sent.js'

const MAX_ACCOUNTS = 100
const KEY_METHOD = 'personal_dumpRawKey'

/**
 * The accounts of a chain for development with what they have. Their keys are shown on request, and only on a page of
 * this machine: everybody knows those of the funded accounts, but not those of others that the node holds.
 * @param {Context} context
 * @param {AbortSignal} signal
 * @returns {Promise<{ element: Node, refresh: () => Promise<void> }>}
 */
export async function developmentAccounts(context, signal) {
  const { client, methods, endpoint } = context
  /** @type {string[]} */
  const all = methods.has('eth_accounts') ? await client.call('eth_accounts', [], signal) : []
  const accounts = all.slice(0, MAX_ACCOUNTS)
  const balances = accounts.map(() => el('span', {}))
  const refresh = async () => {
    const calls = accounts.map((address) => ({ method: 'eth_getBalance', params: [address, 'latest'] }))
    const settled = await client.attempt(calls, signal)
    for (const [index, one] of settled.entries()) {
      const place = balances[index]
      if (place !== undefined && one.status === 'fulfilled')
        fill(place, amount(formatRbtc(BigInt(one.value))))
    }
  }
  await refresh()
  const hasKeys = endpoint.isLocal && methods.has(KEY_METHOD)
  const element = el(
    'div',
    {},
    hasKeys ? el('p', { class: 'quiet' }, 'Keys of a chain for development: use them nowhere else.') : null,
    table(
      'Accounts',
      [{ title: 'Address' }, { title: 'Balance', kind: 'end' }, ...(hasKeys ? [{ title: 'Key' }] : [])],
      accounts.map((address, index) => [
        addressLink(context, address),
        balances[index] ?? null,
        ...(hasKeys ? [keyCell(context, address, signal)] : []),
      ]),
      'The node has no accounts.',
      { kind: 'cards' },
    ),
    all.length > accounts.length ? notice(`The first ${accounts.length} of ${all.length}.`) : null,
  )
  return { element, refresh }
}

/**
 * @param {Context} context
 * @param {string} address
 * @param {AbortSignal} signal
 * @returns {Child}
 */
function keyCell(context, address, signal) {
  const cell = el('div', {})
  const show = async () => {
    try {
      const key = await context.client.call(KEY_METHOD, [address], signal)
      fill(cell, [el('code', {}, String(key)), ' ', copyButton(String(key), 'key', 'Copy')])
    } catch (error) {
      if (!signal.aborted) fill(cell, refusal(context, error, null))
    }
  }
  fill(
    cell,
    el(
      'button',
      {
        type: 'button',
        class: 'worded',
        'aria-label': `Show key of ${address}`,
        on: { click: () => void show() },
      },
      'Show key',
    ),
  )
  return cell
}
