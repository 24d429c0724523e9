import { asBuffer, EMPTY_BYTES } from '../../util/bytes.ts'

/** Lengths above this cannot be decoded (consensus.md §0.2). */
const MAX_LENGTH_BYTES = 0x7fff_ffff

/** Kind of malformation: an element beyond the end, an impossible length, or an unexpected shape. */
export type RlpFault = 'overrun' | 'length' | 'shape'

/** Bytes that are not RLP, or not of the expected shape. */
export class RlpError extends Error {
  readonly code = 'RLP_INVALID'
  override readonly name = 'RlpError'
  readonly fault: RlpFault

  constructor(message: string, fault: RlpFault = 'shape') {
    super(message)
    this.fault = fault
  }
}

/**
 * One RLP element over the bytes it was read from. Lists are split on first access, so that unread parts are
 * never parsed, as the network's rules expect.
 */
export class RlpItem {
  /** True when the element is a list. */
  readonly isList: boolean
  /** Content of a string; for a list its whole encoding, which is how a list in place of a string is read. */
  readonly bytes: Buffer
  readonly #contentOffset: number
  #items: readonly RlpItem[] | undefined

  constructor(bytes: Buffer, isList: boolean, contentOffset: number) {
    this.bytes = bytes
    this.isList = isList
    this.#contentOffset = contentOffset
  }

  /** Elements of a list. @throws RlpError when this is a string or the content is malformed */
  get items(): readonly RlpItem[] {
    return this.itemsUpTo(Number.POSITIVE_INFINITY)
  }

  /**
   * Elements of a list from an untrusted source, where an element of one byte costs many bytes of memory
   * here.
   * @throws RlpError when this is a string, the content is malformed, or there are more elements than the
   *   limit
   */
  itemsUpTo(limit: number): readonly RlpItem[] {
    if (!this.isList) throw new RlpError('list expected, got a string')
    this.#items ??= readRlpItems(this.bytes.subarray(this.#contentOffset), limit)
    return this.#items
  }

  /**
   * Elements of a list that must have so many. The others are counted only: each of one byte would cost many bytes of
   * memory here.
   * @returns the elements; how many there are when that is another number
   * @throws RlpError when this is a string or the content is malformed
   */
  itemsOf(count: number): readonly RlpItem[] | number {
    if (this.#items !== undefined) return this.#items.length === count ? this.#items : this.#items.length
    if (!this.isList) throw new RlpError('list expected, got a string')
    const source = this.bytes.subarray(this.#contentOffset)
    const items: RlpItem[] = []
    let position = 0
    while (items.length < count && position < source.length) position = readItem(source, position, items)
    const found = items.length + countItems(source, position)
    if (found !== count) return found
    this.#items = items
    return items
  }
}

/**
 * Splits bytes into the elements that follow each other. Accepts non-minimal forms
 * (consensus.md §0.2).
 * @throws RlpError when an element does not end where the bytes end, or there are more than the limit
 */
export function readRlpItems(bytes: Uint8Array, limit: number = Number.POSITIVE_INFINITY): RlpItem[] {
  const source = asBuffer(bytes)
  const items: RlpItem[] = []
  for (let position = 0; position < source.length; ) {
    if (items.length >= limit) throw new RlpError(`more than ${limit} elements`)
    const end = readItem(source, position, items)
    position = end
  }
  return items
}

/**
 * Elements of the single list that the bytes consist of.
 * @throws RlpError when there is more or less than one element, or it is a string
 */
export function parseRLPList(bytes: Uint8Array): readonly RlpItem[] {
  return parseRLPItem(bytes).items
}

/**
 * The single element that the bytes consist of; those of a list are not looked at yet.
 * @throws RlpError when there is more or less than one element
 */
export function parseRLPItem(bytes: Uint8Array): RlpItem {
  const source = asBuffer(bytes)
  const items: RlpItem[] = []
  const end = source.length === 0 ? 0 : readItem(source, 0, items)
  const count = items.length + countItems(source, end)
  const [item] = items
  if (item === undefined || count !== 1) throw new RlpError(`one element expected, got ${count}`)
  return item
}

/** Elements from an offset on, lazily: a megabyte of unwanted elements must not become a million objects. */
function countItems(source: Buffer, start: number): number {
  let count = 0
  for (let position = start; position < source.length; count += 1) {
    position += rlpItemLength(source, position)
    if (position > source.length)
      throw new RlpError('element is longer than the bytes it stands in', 'overrun')
  }
  return count
}

/** Element at an index. @throws RlpError when the list is shorter */
export function itemAt(items: readonly RlpItem[], index: number): RlpItem {
  const item = items[index]
  if (item === undefined) throw new RlpError(`element ${index} expected, the list has ${items.length}`)
  return item
}

/** Length in bytes of the element that starts at an offset. Needs its first nine bytes at most. */
export function rlpItemLength(source: Buffer, position: number): number {
  const first = source[position]
  if (first === undefined) throw new RlpError('no element')
  if (first < 0x80) return 1
  if (first <= 0xb7) return 1 + first - 0x80
  if (first < 0xc0) return 1 + (first - 0xb7) + readLength(source, position + 1, first - 0xb7)
  if (first <= 0xf7) return 1 + first - 0xc0
  return 1 + (first - 0xf7) + readLength(source, position + 1, first - 0xf7)
}

function readItem(source: Buffer, position: number, into: RlpItem[]): number {
  const first = source[position] ?? 0
  if (first < 0x80) {
    into.push(new RlpItem(source.subarray(position, position + 1), false, 0))
    return position + 1
  }
  if (first === 0x80) {
    into.push(new RlpItem(EMPTY_BYTES, false, 0))
    return position + 1
  }
  const isList = first >= 0xc0
  const shortBase = isList ? 0xc0 : 0x80
  const sizeLength = Math.max(0, first - shortBase - 55)
  const length = sizeLength === 0 ? first - shortBase : readLength(source, position + 1, sizeLength)
  const content = position + 1 + sizeLength
  const end = content + length
  if (end > source.length) throw new RlpError('element is longer than the bytes it stands in', 'overrun')
  into.push(
    isList
      ? new RlpItem(source.subarray(position, end), true, 1 + sizeLength)
      : new RlpItem(source.subarray(content, end), false, 0),
  )
  return end
}

function readLength(source: Buffer, position: number, size: number): number {
  if (position + size > source.length) throw new RlpError('element ends inside its length', 'overrun')
  // The reference computes in 32 bits and drops what does not fit: leading zeros and overflow alike.
  let length = 0
  for (let index = 0; index < size; index += 1) length = ((length << 8) + (source[position + index] ?? 0)) | 0
  if (length < 0 || length > MAX_LENGTH_BYTES) throw new RlpError('element length is out of range', 'length')
  return length
}
