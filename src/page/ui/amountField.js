import { parseUnits } from '../chain/amounts.js'
import { checkedField } from './checkedField.js'
import { el } from './dom.js'

/**
 * A field for an amount in RBTC; its value is wei.
 * @param {string} id
 * @param {string} [label]
 */
export function amountField(id, label = 'Value') {
  return checkedField({
    label,
    type: 'RBTC',
    field: el('input', { id, type: 'text', inputmode: 'decimal', autocomplete: 'off', placeholder: '0' }),
    parse: (text) => {
      const amount = parseUnits(text.trim() === '' ? '0' : text)
      if (amount === null)
        throw new Error('An amount is a decimal number of at most 18 digits behind the point.')
      return amount
    },
  })
}

/**
 * A field for a whole number; null where it is empty.
 * @param {string} id
 * @param {string} label
 * @param {string} type in words
 */
export function numberField(id, label, type) {
  return checkedField({
    label,
    type,
    field: el('input', { id, type: 'text', inputmode: 'numeric', autocomplete: 'off' }),
    parse: (text) => {
      const digits = text.trim().replaceAll(/[,_]/g, '')
      if (digits === '') return null
      if (!/^\d{1,18}$/.test(digits)) throw new Error('A whole number is needed here.')
      return BigInt(digits)
    },
  })
}
