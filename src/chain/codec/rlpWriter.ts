import { asBuffer, bigIntToBytes, bigIntToSignedBytes } from '../../util/bytes.ts'

/** RLP of the empty string. */
export const RLP_EMPTY: Buffer = Buffer.from([0x80])
/** RLP of the string of one zero byte. */
export const RLP_ZERO_BYTE: Buffer = Buffer.from([0])
/** RLP of the empty list. */
export const RLP_EMPTY_LIST: Buffer = Buffer.from([0xc0])

/** Every byte as a string of its own, shared: making one costs more than all else in an encoding. */
const SINGLE_BYTES: readonly Buffer[] = Array.from({ length: 256 }, (_, value) => Buffer.from([value]))

/** RLP of a byte string; absent is the empty string (`elem` of consensus.md §0.1). */
export function encodeBytes(bytes: Uint8Array | null): Buffer {
  if (bytes === null || bytes.length === 0) return RLP_EMPTY
  if (bytes.length === 1 && (bytes[0] ?? 0) < 0x80) return asBuffer(bytes)
  const head = prefix(bytes.length, 0x80)
  const encoded = Buffer.allocUnsafe(head.length + bytes.length)
  encoded.set(head)
  encoded.set(bytes, head.length)
  return encoded
}

/** RLP of a list of elements that are encoded already. */
export function encodeList(elements: readonly Uint8Array[]): Buffer {
  let length = 0
  for (const element of elements) length += element.length
  const head = prefix(length, 0xc0)
  const list = Buffer.allocUnsafe(head.length + length)
  list.set(head)
  let position = head.length
  for (const element of elements) {
    list.set(element, position)
    position += element.length
  }
  return list
}

/** RLP of an unsigned number; zero is the empty string (`bigint`, `int`, `coin` of §0.1). */
export function encodeUnsigned(value: bigint | number): Buffer {
  return encodeBytes(bigIntToBytes(BigInt(value)))
}

/** RLP of an unsigned amount; zero is one zero byte (`coinNonNullZero` of §0.1). */
export function encodeNonEmptyUnsigned(value: bigint): Buffer {
  return value === 0n ? RLP_ZERO_BYTE : encodeUnsigned(value)
}

/** RLP of an amount in two's complement; absent is empty, zero is one zero byte (`signedCoin` of §0.1). */
export function encodeSigned(value: bigint | null): Buffer {
  return value === null ? RLP_EMPTY : encodeBytes(bigIntToSignedBytes(value))
}

/** RLP of one byte; zero is the empty string (`byte` of §0.1). Bits above the eighth are dropped. */
export function encodeByte(value: number): Buffer {
  return encodeBytes((value & 0xff) === 0 ? null : singleByte(value & 0xff))
}

/** RLP of sublist edges, each as little-endian 16 bits (`edges` of §0.1). */
export function encodeEdges(edges: readonly number[]): Buffer {
  const bytes = Buffer.alloc(edges.length * 2)
  edges.forEach((edge, index) => {
    bytes.writeUInt16LE(edge & 0xffff, index * 2)
  })
  return encodeBytes(bytes)
}

/** Sublist edges of their bytes, as signed 16 bits; an odd last byte is ignored (§2.2). */
export function parseEdges(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readInt16LE(index * 2))
}

function prefix(length: number, base: number): Buffer {
  if (length < 56) return singleByte(base + length)
  const size = bigIntToBytes(BigInt(length))
  return Buffer.concat([Buffer.from([base + 55 + size.length]), size])
}

function singleByte(value: number): Buffer {
  return SINGLE_BYTES[value] ?? Buffer.from([value])
}
