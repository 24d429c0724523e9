import { invalidParams } from '../errors.ts'
import { namingBlocks, type Param, scalarText } from './param.ts'

const HEX_DIGITS = /^[0-9a-fA-F]*$/
const ADDRESS_DIGITS = 40
const HASH_DIGITS = 64
/** The name of the hash of a block in errors. */
const BLOCK_HASH = 'block hash'

/** Hex text with or without `0x`, an odd number of digits padded on the left; null when it is no hex. */
export function lenientHex(text: string): Buffer | null {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  const bytes = Buffer.from(even, 'hex')
  return bytes.length * 2 === even.length && HEX_DIGITS.test(even) ? bytes : null
}

/**
 * 20 bytes of an address: 40 to 42 characters, `0x` optional, any case, no checksum (rpc.md §2).
 * @throws RpcError kind `invalidParams`
 */
export function parseAddress(text: string): Buffer {
  if (text.length < ADDRESS_DIGITS || text.length > ADDRESS_DIGITS + 2) {
    throw invalidParams('Invalid address: null, empty or invalid hex value.')
  }
  const bytes = lenientHex(text)
  if (bytes?.length !== ADDRESS_DIGITS / 2) throw invalidParams('Invalid address format: invalid hex value.')
  return bytes
}

/**
 * 32 bytes of a hash: 64 to 66 characters, `0x` optional, any case (rpc.md §2).
 * @throws RpcError kind `invalidParams` that names the kind of hash
 */
export function parseHash(text: string, kind: string): Buffer {
  if (text.length < HASH_DIGITS || text.length > HASH_DIGITS + 2) {
    throw invalidParams(`Invalid ${kind}: incorrect length.`)
  }
  const bytes = lenientHex(text)
  if (bytes === null) throw invalidParams(`Invalid ${kind} format: invalid hex value`)
  if (bytes.length !== HASH_DIGITS / 2) throw invalidParams(`Invalid ${kind}: incorrect length.`)
  return bytes
}

/**
 * Bytes of DATA: `0x` optional, odd length padded on the left, any case.
 * @throws RpcError kind `invalidParams`
 */
export function parseData(text: string): Buffer {
  const bytes = lenientHex(text)
  if (bytes === null) throw invalidParams('Invalid data format: invalid hex value.')
  return bytes
}

/** An address parameter, 20 bytes. */
export function address(name = 'address'): Param<Buffer> {
  return {
    name,
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
    optional: false,
    parse: (value) => parseAddress(value === null ? '' : scalarText(value)),
  }
}

/** A hash parameter, 32 bytes; `kind` is what errors call it: `block hash`, `transaction hash`. */
export function hash(name: string, kind: string): Param<Buffer> {
  const param: Param<Buffer> = {
    name,
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams(`${name} is null`)
      return parseHash(scalarText(value), kind)
    },
  }
  return kind === BLOCK_HASH ? namingBlocks(param, (value) => [value]) : param
}

/** A DATA parameter. */
export function data(name = 'data'): Param<Buffer> {
  return {
    name,
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]*$' },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams(`${name} is null`)
      return parseData(scalarText(value))
    },
  }
}
