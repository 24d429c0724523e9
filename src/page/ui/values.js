/** @import { Child, Context } from '../types.js' */
/** @import { AbiType, AbiValue, Decoded } from '../abi/abi.js' */
import { typeText } from '../abi/types.js'
import { formatInteger } from '../chain/amounts.js'
import { bytesOfHex } from '../chain/text.js'
import { amount } from './amount.js'
import { el } from './dom.js'
import { addressLink } from './links.js'
import { said } from './said.js'

const MAX_LISTED = 50
const MAX_TEXT_CHARACTERS = 1000
const MAX_BYTES_SHOWN = 64

/**
 * Values with names and types, one below the other.
 * @param {Context} context
 * @param {readonly { readonly name: string, readonly type: AbiType }[]} fields
 * @param {Decoded['values']} values
 */
export function valueList(context, fields, values) {
  return el(
    'dl',
    { class: 'facts' },
    ...fields.map(({ name, type }, index) =>
      el(
        'div',
        {},
        el('dt', {}, name === '' ? `${index}` : said(name), ' ', el('code', {}, typeText(type))),
        el('dd', {}, valueNode(context, type, values[index] ?? null)),
      ),
    ),
  )
}

/** Whose ABI the words are from. @param {Decoded} decoded */
export function byLine({ by }) {
  return el('span', { class: 'quiet' }, 'by the ABI ', said(by))
}

/**
 * A value: addresses are links, numbers have commas, text is what somebody else wrote.
 * @param {Context} context
 * @param {AbiType} type
 * @param {AbiValue | null} value null where only a hash is known
 * @returns {Child}
 */
export function valueNode(context, type, value) {
  if (value === null) return el('span', { class: 'quiet' }, 'only its hash is known')
  if (Array.isArray(value)) return listNode(context, type, value)
  switch (type.kind) {
    case 'uint':
    case 'int':
      return el('span', { class: 'said' }, amount(formatInteger(BigInt(String(value)))))
    case 'address':
      return addressLink(context, String(value))
    case 'string':
      return value === '' ? el('span', { class: 'quiet' }, 'empty') : said(String(value), MAX_TEXT_CHARACTERS)
    case 'bytes':
      return bytesNode(String(value))
    default:
      return String(value)
  }
}

/**
 * @param {Context} context
 * @param {AbiType} type
 * @param {readonly AbiValue[]} values
 */
function listNode(context, type, values) {
  if (values.length === 0) return el('span', { class: 'quiet' }, 'none')
  const hidden = values.length - MAX_LISTED
  return el(
    'ol',
    { class: 'values', start: 0 },
    ...values.slice(0, MAX_LISTED).map((value, index) => {
      const field = type.kind === 'tuple' ? type.items[index] : undefined
      const item = field?.type ?? (type.kind === 'array' ? type.item : type)
      const name = field === undefined || field.name === '' ? null : [said(field.name), ': ']
      return el('li', {}, name, valueNode(context, item, value))
    }),
    hidden > 0 ? el('li', { class: 'quiet' }, `${formatInteger(hidden)} more`) : null,
  )
}

/** @param {string} hex */
function bytesNode(hex) {
  const { length } = bytesOfHex(hex)
  if (length <= MAX_BYTES_SHOWN) return el('code', {}, hex)
  return [
    el('code', {}, `${hex.slice(0, 2 + 2 * MAX_BYTES_SHOWN)}…`),
    el('span', { class: 'quiet' }, ` ${formatInteger(length)} bytes`),
  ]
}
