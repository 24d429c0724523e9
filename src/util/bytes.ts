/** The empty byte string, shared. */
export const EMPTY_BYTES: Buffer = Buffer.alloc(0)

/** Largest value whose bytes can be written with {@link Buffer.writeUIntBE}. */
const MAX_SIX_BYTES = 0xffff_ffff_ffffn

/**
 * Big-endian bytes without leading zeros; zero is the empty string.
 * @throws RangeError for a negative value
 */
export function bigIntToBytes(value: bigint): Buffer {
  if (value < 0n) throw new RangeError(`unsigned value expected, got ${value}`)
  if (value === 0n) return EMPTY_BYTES
  if (value <= MAX_SIX_BYTES) {
    const small = Number(value)
    const length = byteLength(small)
    const bytes = Buffer.allocUnsafe(length)
    bytes.writeUIntBE(small, 0, length)
    return bytes
  }
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

/** Unsigned big-endian value of the bytes; the empty string is zero. */
export function bytesToBigInt(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n
  const buffer = asBuffer(bytes)
  if (bytes.length <= 6) return BigInt(buffer.readUIntBE(0, bytes.length))
  return BigInt(`0x${buffer.toString('hex')}`)
}

/** Shortest big-endian two's complement, at least one byte: zero is `00`, 255 is `00ff`, -1 is `ff`. */
export function bigIntToSignedBytes(value: bigint): Buffer {
  if (value >= 0n) {
    const bytes = bigIntToBytes(value)
    const first = bytes[0]
    return first === undefined || first >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes
  }
  // A negative value of n bytes is at least -2^(8n-1): the bit length of its complement decides.
  const length = Math.floor((-value - 1n).toString(2).length / 8) + 1
  const hex = BigInt.asUintN(length * 8, value).toString(16)
  return Buffer.from(hex.padStart(length * 2, '0'), 'hex')
}

/** Two's complement big-endian value of the bytes; the empty string is zero. */
export function signedBytesToBigInt(bytes: Uint8Array): bigint {
  return BigInt.asIntN(bytes.length * 8, bytesToBigInt(bytes))
}

/** The value as a fixed number of bytes, big-endian. */
export function bigIntToFixedBytes(value: bigint, length: number): Buffer {
  const bytes = bigIntToBytes(value)
  if (bytes.length > length) throw new RangeError(`value does not fit in ${length} bytes`)
  const fixed = Buffer.alloc(length)
  bytes.copy(fixed, length - bytes.length)
  return fixed
}

/** A Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Lower-case hex with `0x`. */
export function toHex(bytes: Uint8Array): `0x${string}` {
  return `0x${asBuffer(bytes).toString('hex')}`
}

/**
 * Bytes of hex text with or without `0x`.
 * @throws RangeError for an odd number of digits or a character that is no hex digit
 */
export function fromHex(hex: string): Buffer {
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex
  const bytes = Buffer.from(digits, 'hex')
  if (bytes.length * 2 !== digits.length) throw new RangeError('even number of hex digits expected')
  return bytes
}

function byteLength(value: number): number {
  let length = 1
  for (let rest = Math.floor(value / 256); rest > 0; rest = Math.floor(rest / 256)) length += 1
  return length
}
