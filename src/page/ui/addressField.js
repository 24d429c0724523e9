import { isAddress } from '../chain/address.js'
import { checkedField } from './checkedField.js'
import { el } from './dom.js'

/**
 * A field for an address; its value is in lower case.
 * @param {string} id
 * @param {string} label
 * @param {string} [value]
 */
export function addressField(id, label, value = '') {
  return checkedField({
    label,
    type: '0x-hex of 20 bytes',
    field: el('input', {
      id,
      type: 'text',
      value,
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
    }),
    parse: (text) => {
      const address = text.trim()
      if (!isAddress(address)) throw new Error('This is no address.')
      return address.toLowerCase()
    },
  })
}
