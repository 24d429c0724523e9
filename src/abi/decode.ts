import { bytesToBigInt } from '../util/bytes.ts'
import type { AbiParameter, AbiType } from './abiType.ts'

/** A decoded value: numbers as bigint, bytes and addresses as bytes, arrays and tuples as lists. */
export type DecodedValue = bigint | boolean | string | Buffer | readonly DecodedValue[]

const WORD = 32
const ADDRESS_BYTES = 20
const SIGN = 1n << 255n
const MODULUS = 1n << 256n
/**
 * Values of one encoding. Offsets may overlap, so that some hundred bytes can stand for as many arrays as one likes.
 */
const MAX_VALUES = 4096

/** Bytes that are no encoding of their types. */
class EncodingError extends Error {
  override readonly name = 'EncodingError'
  readonly code = 'ENCODING'
}

interface Budget {
  left: number
}

/**
 * Decodes arguments. Programs may send anything, so what does not fit is an answer and no error.
 * @param data encoded arguments, without a selector
 * @returns null for what is no encoding of them, or one of more than 4096 values
 */
export function decodeArguments(parameters: readonly AbiParameter[], data: Buffer): DecodedValue[] | null {
  try {
    return decodeTuple(parameters, data, { left: MAX_VALUES })
  } catch (error) {
    if (error instanceof EncodingError) return null
    throw error
  }
}

/** @param data begins with the heads of the members, from which their offsets count */
function decodeTuple(members: readonly AbiParameter[], data: Buffer, budget: Budget): DecodedValue[] {
  let position = 0
  return members.map(({ type }) => {
    const value = decodeMember(type, data, position, budget)
    position += headBytes(type)
    return value
  })
}

function decodeMember(type: AbiType, data: Buffer, position: number, budget: Budget): DecodedValue {
  if (!isDynamic(type)) return decodeValue(type, from(data, position), budget)
  return decodeValue(type, from(data, readSize(data, position)), budget)
}

function decodeValue(type: AbiType, data: Buffer, budget: Budget): DecodedValue {
  budget.left -= 1
  if (budget.left < 0) throw new EncodingError('too many values')
  switch (type.kind) {
    case 'uint':
      return bytesToBigInt(word(data))
    case 'int': {
      const value = bytesToBigInt(word(data))
      return value < SIGN ? value : value - MODULUS
    }
    case 'bool':
      return word(data).some((byte) => byte !== 0)
    case 'address':
      return word(data).subarray(WORD - ADDRESS_BYTES)
    case 'fixedBytes':
      return word(data).subarray(0, type.size)
    case 'bytes':
      return dynamicBytes(data)
    case 'string':
      return dynamicBytes(data).toString('utf8')
    case 'tuple':
      return decodeTuple(type.members, data, budget)
    case 'array': {
      const length = type.length ?? readSize(data, 0)
      if (length > budget.left) throw new EncodingError('too many values')
      const elements = type.length === null ? from(data, WORD) : data
      return decodeTuple(new Array<AbiParameter>(length).fill({ name: '', type: type.of }), elements, budget)
    }
  }
}

function dynamicBytes(data: Buffer): Buffer {
  const end = WORD + readSize(data, 0)
  if (end > data.length) throw new EncodingError('bytes end behind the data')
  return data.subarray(WORD, end)
}

function isDynamic(type: AbiType): boolean {
  switch (type.kind) {
    case 'bytes':
    case 'string':
      return true
    case 'array':
      return type.length === null || isDynamic(type.of)
    case 'tuple':
      return type.members.some((member) => isDynamic(member.type))
    default:
      return false
  }
}

function headBytes(type: AbiType): number {
  if (isDynamic(type)) return WORD
  if (type.kind === 'array') return (type.length ?? 0) * headBytes(type.of)
  if (type.kind !== 'tuple') return WORD
  return type.members.reduce((bytes, member) => bytes + headBytes(member.type), 0)
}

function word(data: Buffer): Buffer {
  if (data.length < WORD) throw new EncodingError('a word is missing')
  return data.subarray(0, WORD)
}

function from(data: Buffer, position: number): Buffer {
  if (position > data.length) throw new EncodingError('an offset lies behind the data')
  return data.subarray(position)
}

/** An offset or a length in bytes or elements, which the data must be able to hold. */
function readSize(data: Buffer, position: number): number {
  const size = bytesToBigInt(word(from(data, position)))
  if (size > BigInt(data.length) && size > BigInt(MAX_VALUES)) throw new EncodingError('a size is too large')
  return Number(size)
}
