import { isUndecodable } from '../../chain/codec/errors.ts'
import { type RlpItem, readRlpItems, rlpItemLength } from '../../chain/codec/rlpReader.ts'
import { bytesToBigInt, signedBytesToBigInt } from '../../util/bytes.ts'
import { P2pError } from '../wire/p2pError.ts'
import { boundElements, MAX_BLOCK_ELEMENTS, MAX_RECORD_ELEMENTS } from './elements.ts'

/** Elements of a list of fields: more than any message has, so that what is added to one some day does no harm. */
export const MAX_FIELDS = 16

const HASH_BYTES = 32
const MAX_NUMBER_BYTES = 8
const MAX_ID = (1n << 63n) - 1n
/** Bytes of a total difficulty: no chain comes near. */
const MAX_DIFFICULTY_BYTES = 32

/**
 * Runs what decodes a message.
 * @throws P2pError MESSAGE instead of what the codecs throw
 */
export function decoding<T>(what: string, decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    if (!isUndecodable(cause)) throw cause
    throw new P2pError('MESSAGE', `${what}: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Elements of the list that the bytes begin with; what is behind it is ignored. What elements hold is read when they
 * are looked at, so the depth of what nobody looks at does not matter.
 * @throws RlpError when it is no list, broken, or has more elements than the limit
 */
export function readList(bytes: Buffer, limit: number): readonly RlpItem[] {
  const [list] = readRlpItems(bytes.subarray(0, rlpItemLength(bytes, 0)), 1)
  return list === undefined ? [] : list.itemsUpTo(limit)
}

/** Elements of a list that may also be put into a string (p2p.md §4). */
export function eitherList(item: RlpItem, limit: number): readonly RlpItem[] {
  return item.isList ? item.itemsUpTo(limit) : readList(item.bytes, limit)
}

/** Encodings of the elements of a list of lists, e.g. of transactions or headers. */
export function rawLists(item: RlpItem, limit: number): Buffer[] {
  return rawListsOf(item.itemsUpTo(limit))
}

/** Encodings of elements that are lists, each a header or a transaction. */
export function rawListsOf(items: readonly RlpItem[]): Buffer[] {
  return items.map((element) => {
    if (!element.isList) throw new P2pError('MESSAGE', 'a list expected, got a string')
    return boundElements(element.bytes, MAX_RECORD_ELEMENTS)
  })
}

/** Whole blocks: each in a string, or the list itself (p2p.md §4). */
export function blocksOf(item: RlpItem, limit: number): Buffer[] {
  return item.itemsUpTo(limit).map(blockOf)
}

/** A whole block: in a string, or the list itself (p2p.md §4). */
export function blockOf(item: RlpItem): Buffer {
  return boundElements(item.bytes, MAX_BLOCK_ELEMENTS)
}

/** A string. */
export function stringOf(item: RlpItem): Buffer {
  if (item.isList) throw new P2pError('MESSAGE', 'a string expected, got a list')
  return item.bytes
}

/** A string of so many bytes. */
export function fixedOf(item: RlpItem, length: number): Buffer {
  const bytes = stringOf(item)
  if (bytes.length !== length) {
    throw new P2pError('MESSAGE', `${length} bytes expected, got ${bytes.length}`)
  }
  return bytes
}

/** A hash: 32 bytes. */
export function hashOf(item: RlpItem): Buffer {
  return fixedOf(item, HASH_BYTES)
}

/** An unsigned number that JavaScript holds exactly. */
export function numberOf(item: RlpItem): number {
  const value = wholeOf(item)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new P2pError('MESSAGE', `${value} is too large`)
  return Number(value)
}

/** Id of a request: 63 bits. */
export function idOf(item: RlpItem): bigint {
  const value = wholeOf(item)
  if (value > MAX_ID) throw new P2pError('MESSAGE', 'an id has 63 bits')
  return value
}

/** A total difficulty as Java writes it, in two's complement (p2p.md §4). */
export function signedDifficultyOf(item: RlpItem): bigint {
  const bytes = boundedOf(item, MAX_DIFFICULTY_BYTES)
  const value = signedBytesToBigInt(bytes)
  if (value < 0n) throw new P2pError('MESSAGE', 'a total difficulty is negative')
  return value
}

/** A total difficulty without a sign (p2p.md §3 STATUS 0x10). */
export function unsignedDifficultyOf(item: RlpItem): bigint {
  return bytesToBigInt(boundedOf(item, MAX_DIFFICULTY_BYTES))
}

/** Text in UTF-8, whatever the bytes are. */
export function textOf(item: RlpItem): string {
  return stringOf(item).toString('utf8')
}

function wholeOf(item: RlpItem): bigint {
  return bytesToBigInt(boundedOf(item, MAX_NUMBER_BYTES))
}

function boundedOf(item: RlpItem, limit: number): Buffer {
  const bytes = stringOf(item)
  if (bytes.length > limit) throw new P2pError('MESSAGE', `at most ${limit} bytes expected`)
  return bytes
}
