/** @import { AbiType, AbiValue } from './abi.js' */
import { headBytes, isDynamic } from './types.js'

const WORD_DIGITS = 64

/**
 * Values as contracts take them.
 * @param {readonly AbiType[]} types
 * @param {readonly AbiValue[]} values as `parseValue` gives them
 * @returns {string} hex without 0x
 */
export function encodeValues(types, values) {
  let offset = types.reduce((sum, type) => sum + headBytes(type), 0)
  const heads = []
  const tails = []
  for (const [index, type] of types.entries()) {
    const encoded = encodeValue(type, values[index] ?? 0n)
    if (!isDynamic(type)) {
      heads.push(encoded)
      continue
    }
    heads.push(word(BigInt(offset)))
    tails.push(encoded)
    offset += encoded.length / 2
  }
  return [...heads, ...tails].join('')
}

/**
 * @param {AbiType} type
 * @param {AbiValue} value
 * @returns {string}
 */
function encodeValue(type, value) {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return word(BigInt(/** @type {bigint} */ (value)))
    case 'bool':
      return word(value === true ? 1n : 0n)
    case 'address':
      return word(BigInt(String(value)))
    case 'bytes': {
      const digits = String(value).slice(2)
      return type.size === null ? counted(digits) : padded(digits)
    }
    case 'string':
      return counted(hexOfText(String(value)))
    case 'tuple':
      return encodeValues(
        type.items.map((item) => item.type),
        listOf(value),
      )
    case 'array': {
      const list = listOf(value)
      const items = encodeValues(Array(list.length).fill(type.item), list)
      return type.length === null ? word(BigInt(list.length)) + items : items
    }
  }
}

/** @param {AbiValue} value @returns {readonly AbiValue[]} */
function listOf(value) {
  return Array.isArray(value) ? value : []
}

/** @param {string} digits */
function counted(digits) {
  return word(BigInt(digits.length / 2)) + padded(digits)
}

/** @param {string} digits */
function padded(digits) {
  return digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, '0')
}

/** @param {bigint} value */
function word(value) {
  return BigInt.asUintN(256, value).toString(16).padStart(WORD_DIGITS, '0')
}

/** @param {string} text */
function hexOfText(text) {
  return [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
