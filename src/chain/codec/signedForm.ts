import { idOfV } from './transactionDecoder.ts'

/** Indices of the elements of a signed transaction that are looked at (consensus.md §5.1). */
const GAS_LIMIT = 2
const RECEIVER = 3
const V = 6
const R = 7
const S = 8
const ELEMENTS = 9

const ADDRESS_LENGTH = 20
const WORD = 32
/** First byte of the largest `s` that a block may have. */
const MAX_S_FIRST_BYTE = 0x7f
/** Longest length of a string that is read here, bytes. */
const MAX_LENGTH_BYTES = 4

/**
 * True when bytes have the form of a transaction that somebody signed for a chain: nine strings in a list, a gas limit,
 * a receiver or none, `v` of the chain or of every chain, `r`, and an `s` of the lower half. The look takes a fiftieth
 * of the time of decoding and makes no objects. A transaction in an unusual encoding has another form, and bytes of the
 * form may still be no transaction: decoding decides both.
 */
export function hasSignedForm(encoded: Uint8Array, chainId: number): boolean {
  const [first = 0] = encoded
  // Shorter than 56 bytes is no list with r and s, but for signatures that nobody makes.
  if (first <= 0xf7) return false
  const head = 1 + first - 0xf7
  if (head + lengthAt(encoded, 1, first - 0xf7) !== encoded.length) return false
  let at = head
  for (let index = 0; index < ELEMENTS; index += 1) {
    const start = contentAt(encoded, at)
    const end = endAt(encoded, at, start)
    if (end > encoded.length || !fits(encoded, index, start, end, chainId)) return false
    at = end
  }
  return at === encoded.length
}

/** Offset of the content of the string at an offset; behind the end for a list. */
function contentAt(encoded: Uint8Array, at: number): number {
  const first = encoded[at] ?? 0xc0
  if (first < 0x80) return at
  if (first <= 0xb7) return at + 1
  return first < 0xc0 ? at + 1 + first - 0xb7 : Number.POSITIVE_INFINITY
}

function endAt(encoded: Uint8Array, at: number, content: number): number {
  const first = encoded[at] ?? 0xc0
  if (first < 0x80) return at + 1
  if (first <= 0xb7) return content + first - 0x80
  return content + lengthAt(encoded, at + 1, first - 0xb7)
}

/** A length of so many bytes; infinite where it is longer than any that is sent. */
function lengthAt(encoded: Uint8Array, at: number, size: number): number {
  if (size > MAX_LENGTH_BYTES) return Number.POSITIVE_INFINITY
  let length = 0
  for (let index = at; index < at + size; index += 1) length = length * 256 + (encoded[index] ?? 0)
  return length
}

function fits(encoded: Uint8Array, index: number, start: number, end: number, chainId: number): boolean {
  const length = end - start
  switch (index) {
    case GAS_LIMIT:
      return length > 0
    case RECEIVER:
      return length === 0 || length === ADDRESS_LENGTH
    case V: {
      const id = length === 1 ? idOfV(encoded[start] ?? 0) : Number.NaN
      return id === 0 || id === chainId
    }
    case R:
      return length > 0 && length <= WORD
    case S:
      return length > 0 && (length < WORD || (length === WORD && (encoded[start] ?? 0) <= MAX_S_FIRST_BYTE))
    default:
      return true
  }
}
