/** @import { AbiType, AbiValue, Decoded } from './abi.js' */

/** Values of a list that are written out. */
const MAX_LISTED = 20

/**
 * A value in one line.
 * @param {AbiType} type
 * @param {AbiValue | null} value null where only a hash is known
 * @returns {string}
 */
export function valueText(type, value) {
  if (value === null) return '(hash)'
  if (type.kind === 'string') return JSON.stringify(value)
  if (!Array.isArray(value)) return String(value)
  const more = value.length > MAX_LISTED ? [`… ${value.length - MAX_LISTED} more`] : []
  const shown = value.slice(0, MAX_LISTED)
  if (type.kind === 'tuple') {
    return `(${shown.map((one, index) => namedText(type.items[index], one)).join(', ')})`
  }
  const item = type.kind === 'array' ? type.item : type
  return `[${[...shown.map((one) => valueText(item, one)), ...more].join(', ')}]`
}

/**
 * Values with their names in one line.
 * @param {readonly { readonly name: string, readonly type: AbiType }[]} fields
 * @param {Decoded['values']} values
 */
export function valuesText(fields, values) {
  return fields.map((field, index) => namedText(field, values[index] ?? null)).join(', ')
}

/** A call, an event or an error in one line. @param {Decoded} decoded */
export function decodedText({ item, values }) {
  return `${item.name}(${valuesText(item.inputs, values)})`
}

/**
 * @param {{ readonly name: string, readonly type: AbiType } | undefined} field
 * @param {AbiValue | null} value
 */
function namedText(field, value) {
  if (field === undefined) return ''
  const text = valueText(field.type, value)
  return field.name === '' ? text : `${field.name}: ${text}`
}
