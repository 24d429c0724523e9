/** @import { AbiType, AbiValue } from './abi.js' */
import { parseUnits } from '../chain/amounts.js'
import { AbiError, typeText } from './types.js'

const INTEGER = /^-?(\d{1,78}|0x[0-9a-fA-F]{1,64})$/
const AMOUNT = /^(.+?)\s*rbtc$/i
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const BYTES = /^0x([0-9a-fA-F]{2})*$/

/**
 * What somebody wrote for a parameter. Lists and structures are JSON, and so may what stands in them be.
 * @param {AbiType} type
 * @param {string} text
 * @returns {AbiValue}
 * @throws {AbiError} with a sentence for the one who wrote it
 */
export function parseValue(type, text) {
  if (type.kind === 'string') return text
  const trimmed = text.trim()
  if (type.kind !== 'array' && type.kind !== 'tuple') return fitting(type, trimmed)
  let parsed
  try {
    parsed = JSON.parse(trimmed)
  } catch {
    throw new AbiError(`This is no JSON, as in ${exampleOf(type)}.`)
  }
  return fitting(type, parsed)
}

/**
 * A value of a type as people write it.
 * @param {AbiType} type
 * @returns {string}
 */
export function exampleOf(type) {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return '0'
    case 'bool':
      return 'true'
    case 'address':
      return '"0x…"'
    case 'bytes':
      return '"0x"'
    case 'string':
      return '"text"'
    case 'array':
      return `[${exampleOf(type.item)}]`
    case 'tuple':
      return `[${type.items.map((item) => exampleOf(item.type)).join(', ')}]`
  }
}

/**
 * @param {AbiType} type
 * @param {unknown} given
 * @returns {AbiValue}
 */
function fitting(type, given) {
  switch (type.kind) {
    case 'array':
      return listOf(type, given)
    case 'tuple':
      return tupleOf(type, given)
    case 'bool':
      if (given === true || given === 'true') return true
      if (given === false || given === 'false') return false
      break
    case 'uint':
    case 'int':
      return integerOf(type, given)
    case 'address':
      if (typeof given === 'string' && ADDRESS.test(given)) return given.toLowerCase()
      break
    case 'bytes':
      if (typeof given === 'string' && BYTES.test(given)) return bytesOf(type.size, given)
      break
    case 'string':
      if (typeof given === 'string') return given
  }
  throw new AbiError(`This does not fit: ${typeText(type)}.`)
}

/**
 * @param {AbiType & { kind: 'array' }} type
 * @param {unknown} given
 */
function listOf({ item, length }, given) {
  if (!Array.isArray(given)) throw new AbiError('A list is needed here: [ … ].')
  if (length !== null && given.length !== length) throw new AbiError(`The list has ${length} values.`)
  return given.map((one) => fitting(item, one))
}

/**
 * @param {AbiType & { kind: 'tuple' }} type
 * @param {any} given a list, or an object with the names of the structure
 */
function tupleOf({ items }, given) {
  if (Array.isArray(given)) {
    if (given.length !== items.length) throw new AbiError(`The structure has ${items.length} values.`)
    return items.map((item, index) => fitting(item.type, given[index]))
  }
  if (typeof given !== 'object' || given === null) throw new AbiError('A list or an object is needed here.')
  return items.map(({ name, type }) => {
    if (!Object.hasOwn(given, name)) throw new AbiError(`"${name}" is missing.`)
    return fitting(type, given[name])
  })
}

/**
 * @param {AbiType & { kind: 'uint' | 'int' }} type
 * @param {unknown} given
 */
function integerOf(type, given) {
  if (typeof given === 'number' && !Number.isSafeInteger(given)) {
    throw new AbiError('Write such a number in quotation marks.')
  }
  const text = String(given).replaceAll('_', '')
  const [, amount] = AMOUNT.exec(text) ?? []
  const value = amount === undefined ? (INTEGER.test(text) ? integer(text) : null) : parseUnits(amount)
  const least = type.kind === 'uint' ? 0n : -(1n << BigInt(type.bits - 1))
  const end = 1n << BigInt(type.kind === 'uint' ? type.bits : type.bits - 1)
  if (value === null) throw new AbiError('A whole number is needed here, or an amount such as 1.5 RBTC.')
  if (value < least || value >= end) throw new AbiError(`The number does not fit: ${typeText(type)}.`)
  return value
}

/** @param {string} text */
function integer(text) {
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text)
}

/**
 * @param {number | null} size
 * @param {string} text
 */
function bytesOf(size, text) {
  if (size !== null && text.length !== 2 + 2 * size) throw new AbiError(`${size} bytes are needed here.`)
  return text.toLowerCase()
}
