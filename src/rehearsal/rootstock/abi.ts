import { keccak256 } from '../../native/crypto.ts'
import { bigIntToFixedBytes, bytesToBigInt } from '../../util/bytes.ts'

const WORD = 32
const MODULUS = 1n << 256n
const SELECTOR_BYTES = 4

/** An argument: numbers and booleans, text, bytes of `bytes`, `bytes32` and `address`, items of `bytes[]`. */
export type AbiValue = bigint | number | boolean | string | Uint8Array | readonly Uint8Array[]

/** Call data of a method given as `name(type,type)`. */
export function encodeCall(signature: string, values: readonly AbiValue[] = []): Buffer {
  const types = signature
    .slice(signature.indexOf('(') + 1, -1)
    .split(',')
    .filter(Boolean)
  if (types.length !== values.length) throw new RangeError(`${signature} takes ${types.length} arguments`)
  const encoded = types.map((type, index) => encodeValue(type, values[index] as AbiValue))
  return Buffer.concat([keccak256(Buffer.from(signature)).subarray(0, SELECTOR_BYTES), joinTuple(encoded)])
}

/** The first topic of an event given as `name(type,type)`. */
export function topicOf(signature: string): string {
  return `0x${keccak256(Buffer.from(signature)).toString('hex')}`
}

/** The signed number in the word at an index. */
export function numberAt(data: Uint8Array, index: number): bigint {
  const value = bytesToBigInt(wordAt(data, index))
  return value >= MODULUS / 2n ? value - MODULUS : value
}

/** The bytes at the offset in the word at an index. */
export function bytesAt(data: Uint8Array, index: number): Buffer {
  const start = Number(numberAt(data, index))
  const length = Number(bytesToBigInt(data.subarray(start, start + WORD)))
  return Buffer.from(data.subarray(start + WORD, start + WORD + length))
}

/** The text at the offset in the word at an index. */
export function textAt(data: Uint8Array, index: number): string {
  return bytesAt(data, index).toString('utf8')
}

function wordAt(data: Uint8Array, index: number): Uint8Array {
  return data.subarray(index * WORD, (index + 1) * WORD)
}

type Encoded = { readonly isDynamic: boolean; readonly bytes: Buffer }

function encodeValue(type: string, value: AbiValue): Encoded {
  if (type === 'bytes[]') {
    const items = (value as readonly Uint8Array[]).map((item) => encodeValue('bytes', item))
    return { isDynamic: true, bytes: Buffer.concat([encodeNumber(items.length), joinTuple(items)]) }
  }
  if (type === 'bytes' || type === 'string') {
    const content = typeof value === 'string' ? Buffer.from(value) : Buffer.from(value as Uint8Array)
    const padding = Buffer.alloc((WORD - (content.length % WORD)) % WORD)
    return { isDynamic: true, bytes: Buffer.concat([encodeNumber(content.length), content, padding]) }
  }
  // A hash fills its word, an address is right-aligned.
  if (value instanceof Uint8Array) return { isDynamic: false, bytes: encodeNumber(bytesToBigInt(value)) }
  return { isDynamic: false, bytes: encodeNumber(BigInt(value as bigint | number | boolean)) }
}

function joinTuple(values: readonly Encoded[]): Buffer {
  let end = values.reduce((total, { isDynamic, bytes }) => total + (isDynamic ? WORD : bytes.length), 0)
  const heads: Buffer[] = []
  for (const { isDynamic, bytes } of values) {
    heads.push(isDynamic ? encodeNumber(end) : bytes)
    if (isDynamic) end += bytes.length
  }
  return Buffer.concat([...heads, ...values.flatMap(({ isDynamic, bytes }) => (isDynamic ? [bytes] : []))])
}

function encodeNumber(value: bigint | number): Buffer {
  return bigIntToFixedBytes(((BigInt(value) % MODULUS) + MODULUS) % MODULUS, WORD)
}
