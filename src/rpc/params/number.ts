import { bigIntToSignedBytes } from '../../util/bytes.ts'
import { invalidParams } from '../errors.ts'
import type { Param } from './param.ts'
import { scalarText } from './param.ts'

const MAX_NUMBER_CHARACTERS = 66
const SHOWN_CHARACTERS = 66
const LOWER_HEX = /^[0-9a-f]*$/
const DECIMAL = /^[+-]?[0-9]+$/
const MAX_INT32 = 0x7fff_ffffn

/**
 * A number: `0x` hex of any case, decimal text or a JSON number, at most 66 characters (rpc.md §2).
 * May be negative.
 * @throws RpcError kind `invalidParams`
 */
export function parseNumber(text: string): bigint {
  if (text.length > MAX_NUMBER_CHARACTERS) {
    throw invalidParams(`Invalid param: ${text.slice(0, SHOWN_CHARACTERS)}...`)
  }
  const prefixed = text.startsWith('0x')
  const digits = (prefixed ? text.slice(2) : text).toLowerCase()
  const decimal = DECIMAL.test(text)
  if (!LOWER_HEX.test(digits) && !decimal) {
    throw invalidParams(`Invalid param ${text}: value must be a valid hex or string number.`)
  }
  if (prefixed) return digits === '' ? 0n : BigInt(`0x${digits}`)
  if (!decimal) {
    throw invalidParams('Number values should not contain letters or hex values should start with 0x.')
  }
  return BigInt(text)
}

/**
 * A number that must not be negative.
 * @throws RpcError kind `invalidParams`
 */
export function parseUnsigned(text: string): bigint {
  const value = parseNumber(text)
  if (value < 0n) throw invalidParams(`Invalid param ${text}: value must not be negative.`)
  return value
}

/** A storage position: as a number; a negative one stands for the bytes of its shortest two's complement. */
export function slot(name = 'position'): Param<bigint> {
  return {
    name,
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams(`${name} is null`)
      const parsed = parseNumber(scalarText(value))
      return parsed >= 0n ? parsed : BigInt.asUintN(8 * bigIntToSignedBytes(parsed).length, parsed)
    },
  }
}

/** A position in a list: `0x` and lower-case hex digits, 31 bits. */
export function index(name = 'index'): Param<number> {
  return {
    name,
    schema: { type: 'string', pattern: '^0x[0-9a-f]{1,8}$' },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams(`${name} is null`)
      return parseIndex(scalarText(value))
    },
  }
}

/** @throws RpcError kind `invalidParams` */
export function parseIndex(text: string): number {
  const malformed = 'Invalid index param: value must be a valid hex number.'
  if (text === '' || text === '0x') throw invalidParams(malformed)
  if (text.length > MAX_NUMBER_CHARACTERS) {
    throw invalidParams(`Invalid argument: ${text.slice(0, SHOWN_CHARACTERS)}...`)
  }
  if (!text.startsWith('0x') || !LOWER_HEX.test(text.slice(2))) {
    throw invalidParams(`Invalid argument "${text}": param should be a hex value string.`)
  }
  const value = BigInt(text)
  if (value > MAX_INT32) throw invalidParams(malformed)
  return Number(value)
}

/** true, false, their texts, 1 or 0. */
export function flag(name: string): Param<boolean> {
  return {
    name,
    schema: { type: 'boolean' },
    optional: false,
    parse: (value) => {
      if (value === true || value === 'true' || value === 1) return true
      if (value === false || value === 'false' || value === 0) return false
      throw invalidParams(`Invalid ${name}: boolean expected.`)
    },
  }
}
