/** @import { Child, Context } from '../types.js' */
import { decodeName, uintAt } from '../chain/abi.js'
import { formatUnits } from '../chain/amounts.js'
import { amount } from '../ui/amount.js'
import { el } from '../ui/dom.js'
import { facts, section } from '../ui/parts.js'
import { said } from '../ui/said.js'

/** Selectors of what tokens tell about themselves. */
const QUESTIONS = { name: '0x06fdde03', symbol: '0x95d89b41', decimals: '0x313ce567', supply: '0x18160ddd' }
const MAX_DECIMALS = 77n

/**
 * What a contract that is a token tells about itself; null for any other.
 * @param {Context} context
 * @param {string} address
 * @param {AbortSignal} signal
 * @returns {Promise<Node | null>}
 */
export async function tokenSection({ client, methods }, address, signal) {
  if (!methods.has('eth_call')) return null
  const settled = await client.settle(
    Object.values(QUESTIONS).map((data) => ({
      method: 'eth_call',
      params: [{ to: address, data }, 'latest'],
    })),
    signal,
  )
  const [name, symbol, decimals, supply] = settled.map((one) =>
    one.status === 'fulfilled' ? String(one.value) : '0x',
  )
  const sign = decodeName(symbol ?? '0x')
  const total = uintAt(supply ?? '0x', 0)
  if (sign === null || total === null) return null
  const digits = uintAt(decimals ?? '0x', 0) ?? 0n
  /** @type {[string, Child][]} */
  const entries = [
    ['Name', told(decodeName(name ?? '0x') ?? '')],
    ['Symbol', told(sign)],
    ['Decimals', String(digits)],
    ['Supply', digits > MAX_DECIMALS ? String(total) : amount(formatUnits(total, Number(digits)))],
  ]
  return section(
    'Token',
    el('p', { class: 'quiet' }, 'As the contract itself tells; anybody can give any name.'),
    facts(entries),
  )
}

/** @param {string} text */
function told(text) {
  return text === '' ? el('span', { class: 'quiet' }, 'none') : said(text)
}
