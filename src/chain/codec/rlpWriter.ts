import { asBuffer, bigIntToBytes, bigIntToSignedBytes, EMPTY_BYTES } from '../../util/bytes.ts'

/** RLP of the empty string. */
export const RLP_EMPTY: Buffer = Buffer.from([0x80])
/** RLP of the empty list. */
export const RLP_EMPTY_LIST: Buffer = Buffer.from([0xc0])

/** RLP of every one-byte string, shared: creating one costs more than the rest of an encoding. */
const SINGLE_BYTES: readonly Buffer[] = Array.from({ length: 256 }, (_, value) => Buffer.from([value]))

/** RLP of a byte string; null encodes as the empty string (`elem` of consensus.md §0.1). */
export function encodeBytes(bytes: Uint8Array | null): Buffer {
  if (bytes === null || bytes.length === 0) return RLP_EMPTY
  if (isOwnEncoding(bytes)) return asBuffer(bytes)
  const encoded = Buffer.allocUnsafe(prefixLength(bytes.length) + bytes.length)
  writeBytes(encoded, writePrefix(encoded, 0, bytes.length, 0x80), bytes)
  return encoded
}

/** RLP of a list of encoded elements. */
export function encodeList(elements: readonly Uint8Array[]): Buffer {
  let length = 0
  for (const element of elements) length += element.length
  const list = Buffer.allocUnsafe(listLength(length))
  let position = writePrefix(list, 0, length, 0xc0)
  for (const element of elements) position = writeBytes(list, position, element)
  return list
}

/** Input of a string: bytes, or an unsigned number; zero and null encode as the empty string. */
export type RlpString = Uint8Array | bigint | number | null

/** RLP of a list of strings, written into one buffer. @throws RangeError for a negative number */
export function encodeStrings(values: readonly RlpString[]): Buffer {
  const strings: Uint8Array[] = []
  let length = 0
  for (const value of values) {
    const bytes = toBytes(value)
    strings.push(bytes)
    length += isOwnEncoding(bytes) ? 1 : prefixLength(bytes.length) + bytes.length
  }
  const list = Buffer.allocUnsafe(listLength(length))
  let position = writePrefix(list, 0, length, 0xc0)
  for (const bytes of strings) {
    if (!isOwnEncoding(bytes)) position = writePrefix(list, position, bytes.length, 0x80)
    position = writeBytes(list, position, bytes)
  }
  return list
}

/** Bytes of a list. @param length bytes of its elements */
export function listLength(length: number): number {
  return prefixLength(length) + length
}

/** RLP of an unsigned number; zero is the empty string (`bigint`, `int`, `coin` of consensus.md §0.1). */
export function encodeUnsigned(value: bigint | number): Buffer {
  return encodeBytes(bigIntToBytes(BigInt(value)))
}

/** An unsigned amount whose zero is one zero byte (`coinNonNullZero` of consensus.md §0.1). */
export function nonEmptyAmount(value: bigint): RlpString {
  return value === 0n ? singleByte(0) : value
}

/** An amount in two's complement; absent is empty, zero is one zero byte (`signedCoin` of consensus.md §0.1). */
export function signedAmount(value: bigint | null): RlpString {
  return value === null ? null : bigIntToSignedBytes(value)
}

/** RLP of one byte; zero is the empty string (`byte` of consensus.md §0.1). Bits above the eighth are dropped. */
export function encodeByte(value: number): Buffer {
  return encodeBytes((value & 0xff) === 0 ? null : singleByte(value & 0xff))
}

/** RLP of sublist edges (`edges` of consensus.md §0.1). */
export function encodeEdges(edges: readonly number[]): Buffer {
  return encodeBytes(edgesToBytes(edges))
}

/** Sublist edges, each as little-endian 16 bits. */
export function edgesToBytes(edges: readonly number[]): Buffer {
  const bytes = Buffer.alloc(edges.length * 2)
  edges.forEach((edge, index) => {
    bytes.writeUInt16LE(edge & 0xffff, index * 2)
  })
  return bytes
}

/** Sublist edges of their bytes, as signed 16 bits; an odd last byte is ignored (consensus.md §2.2). */
export function parseEdges(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readInt16LE(index * 2))
}

function toBytes(value: RlpString): Uint8Array {
  if (value === null) return EMPTY_BYTES
  return typeof value === 'object' ? value : bigIntToBytes(BigInt(value))
}

function isOwnEncoding(bytes: Uint8Array): boolean {
  return bytes.length === 1 && (bytes[0] ?? 0) < 0x80
}

/** Length of the header of a content of so many bytes. */
function prefixLength(length: number): number {
  if (length < 56) return 1
  let size = 2
  for (let rest = length; rest > 0xff; rest = Math.floor(rest / 0x100)) size += 1
  return size
}

/** @returns the position behind */
function writePrefix(target: Buffer, position: number, length: number, base: number): number {
  if (length < 56) {
    target[position] = base + length
    return position + 1
  }
  const end = position + prefixLength(length)
  target[position] = base + 54 + (end - position)
  for (let at = end - 1, rest = length; at > position; at -= 1, rest = Math.floor(rest / 0x100)) {
    target[at] = rest & 0xff
  }
  return end
}

/** Length below which a loop is faster than the call. */
const FEW_BYTES = 33

/** @returns the position behind */
function writeBytes(target: Buffer, position: number, bytes: Uint8Array): number {
  if (bytes.length > FEW_BYTES) target.set(bytes, position)
  else for (let i = 0; i < bytes.length; i += 1) target[position + i] = bytes[i] ?? 0
  return position + bytes.length
}

function singleByte(value: number): Buffer {
  return SINGLE_BYTES[value] ?? Buffer.from([value])
}
