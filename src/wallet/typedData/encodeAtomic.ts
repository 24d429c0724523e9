import { keccak256 } from '../../native/crypto.ts'
import { malformed, shown } from './types.ts'

const WORD = 32
const ADDRESS_BYTES = 20
const INTEGER_TYPE = /^(u?)int([0-9]*)$/
const BYTES_TYPE = /^bytes([0-9]+)$/
const INTEGER = /^(-?[0-9]+|-?0x[0-9a-fA-F]+)$/
const HEX = /^0x([0-9a-fA-F]{2})*$/
/** 2^256 has 78 decimal digits; longer strings exceed every type. */
const MAX_DIGITS = 80

/**
 * The 32-byte encoding of a value that is neither a struct nor an array (EIP-712 `encodeData`): strings and
 * bytes by their hash. Integers may be JSON numbers, decimal or 0x strings; those beyond 2^53 must be
 * strings.
 * @throws WalletError `TYPED_DATA` for an unknown type and for values that do not fit it
 */
export function encodeAtomic(type: string, value: unknown, path: string): Buffer {
  if (type === 'string') {
    if (typeof value !== 'string') throw unfit(type, value, path)
    return keccak256(Buffer.from(value, 'utf8'))
  }
  if (type === 'bool') {
    if (typeof value !== 'boolean') throw unfit(type, value, path)
    return word(value ? 1n : 0n)
  }
  if (type === 'bytes') return keccak256(hexBytes(type, value, path))
  if (type === 'address') {
    const address = hexBytes(type, value, path)
    if (address.length !== ADDRESS_BYTES) throw unfit(type, value, path)
    return Buffer.concat([Buffer.alloc(WORD - ADDRESS_BYTES), address])
  }
  const fixed = BYTES_TYPE.exec(type)?.[1]
  if (fixed !== undefined) return encodeFixedBytes(type, Number(fixed), value, path)
  const integer = INTEGER_TYPE.exec(type)
  if (integer !== null) return encodeInteger(type, integer[1] === '', Number(integer[2] || 256), value, path)
  throw malformed(`${path}: there is no type ${shown(type)}`)
}

function encodeFixedBytes(type: string, length: number, value: unknown, path: string): Buffer {
  if (length < 1 || length > WORD) throw malformed(`${path}: there is no type ${shown(type)}`)
  const bytes = hexBytes(type, value, path)
  if (bytes.length !== length) throw unfit(type, value, path)
  return Buffer.concat([bytes, Buffer.alloc(WORD - length)])
}

function encodeInteger(type: string, signed: boolean, bits: number, value: unknown, path: string): Buffer {
  if (bits < 8 || bits > 256 || bits % 8 !== 0) throw malformed(`${path}: there is no type ${shown(type)}`)
  const number = parseInteger(type, value, path)
  const lowest = signed ? -(1n << BigInt(bits - 1)) : 0n
  const highest = (1n << BigInt(signed ? bits - 1 : bits)) - 1n
  if (number < lowest || number > highest) throw unfit(type, value, path)
  return word(number)
}

function parseInteger(type: string, value: unknown, path: string): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value as number)
  if (typeof value !== 'string' || value.length > MAX_DIGITS || !INTEGER.test(value)) {
    throw unfit(type, value, path)
  }
  return value.startsWith('-') ? -BigInt(value.slice(1)) : BigInt(value)
}

function hexBytes(type: string, value: unknown, path: string): Buffer {
  if (typeof value !== 'string' || !HEX.test(value)) throw unfit(type, value, path)
  return Buffer.from(value.slice(2), 'hex')
}

function word(value: bigint): Buffer {
  return Buffer.from(
    BigInt.asUintN(256, value)
      .toString(16)
      .padStart(2 * WORD, '0'),
    'hex',
  )
}

function unfit(type: string, value: unknown, path: string) {
  return malformed(`${path}: ${shown(value)} is no ${type}`)
}
