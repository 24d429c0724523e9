/** @import { AbiParam, AbiType } from './abi.js' */

/** An ABI, or a value for it, is not what it should be. Its message is for people. */
export class AbiError extends Error {}

const MAX_DEPTH = 8
const MAX_FIXED_LENGTH = 10_000
const PLAIN = /^(address|bool|string|function|tuple|bytes|bytes([1-9]|[12]\d|3[0-2])|(u?)int(\d{0,3}))$/
const DIMENSION = /^(.*)\[(\d{0,5})\]$/s
const FUNCTION_BYTES = 24

/**
 * The type of a parameter.
 * @param {AbiParam} param
 * @param {number} [depth]
 * @returns {AbiType}
 * @throws {AbiError} for one that no contract has, or that is nested too deep
 */
export function typeOf({ type, components = [] }, depth = 0) {
  if (depth > MAX_DEPTH) throw new AbiError('A type is nested too deep.')
  const dimension = DIMENSION.exec(type)
  if (dimension !== null) {
    const [, inner = '', digits = ''] = dimension
    const length = digits === '' ? null : Number(digits)
    if (length !== null && length > MAX_FIXED_LENGTH) throw new AbiError('An array is too long.')
    return { kind: 'array', item: typeOf({ name: '', type: inner, components }, depth + 1), length }
  }
  const plain = PLAIN.exec(type)
  if (plain === null) throw new AbiError(`"${type.slice(0, 60)}" is no type.`)
  const [, , bytes, unsigned, bits] = plain
  if (type === 'tuple') {
    return {
      kind: 'tuple',
      items: components.map((one) => ({ name: one.name, type: typeOf(one, depth + 1) })),
    }
  }
  if (type === 'address' || type === 'bool' || type === 'string') return { kind: type }
  if (type === 'function') return { kind: 'bytes', size: FUNCTION_BYTES }
  if (bits === undefined) return { kind: 'bytes', size: bytes === undefined ? null : Number(bytes) }
  const size = bits === '' ? 256 : Number(bits)
  if (size === 0 || size > 256 || size % 8 !== 0) throw new AbiError(`"${type}" is no type.`)
  return { kind: unsigned === 'u' ? 'uint' : 'int', bits: size }
}

/**
 * A type as it stands in signatures.
 * @param {AbiType} type
 * @returns {string}
 */
export function typeText(type) {
  switch (type.kind) {
    case 'array':
      return `${typeText(type.item)}[${type.length ?? ''}]`
    case 'tuple':
      return `(${type.items.map((item) => typeText(item.type)).join(',')})`
    case 'bytes':
      return `bytes${type.size ?? ''}`
    case 'uint':
    case 'int':
      return `${type.kind}${type.bits}`
    default:
      return type.kind
  }
}

/**
 * Whether a type stands behind an offset.
 * @param {AbiType} type
 * @returns {boolean}
 */
export function isDynamic(type) {
  if (type.kind === 'array') return type.length === null || isDynamic(type.item)
  if (type.kind === 'tuple') return type.items.some((item) => isDynamic(item.type))
  return type.kind === 'string' || (type.kind === 'bytes' && type.size === null)
}

/**
 * Bytes of a value in the head of its list.
 * @param {AbiType} type
 * @returns {number}
 */
export function headBytes(type) {
  if (isDynamic(type)) return 32
  if (type.kind === 'array') return (type.length ?? 0) * headBytes(type.item)
  if (type.kind === 'tuple') return type.items.reduce((sum, item) => sum + headBytes(item.type), 0)
  return 32
}
