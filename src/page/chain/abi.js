import { bytesOfHex } from './text.js'

const WORD = 32

/**
 * A word of encoded data as a number; null when it is not there.
 * @param {string} hex
 * @param {number} index
 */
export function uintAt(hex, index) {
  const word = hex.slice(2 + index * 64, 66 + index * 64)
  return word.length === 64 ? BigInt(`0x${word}`) : null
}

/** The address in the low bytes of a word. @param {string} word 0x-hex of 32 bytes */
export function addressOfWord(word) {
  return `0x${word.slice(-40)}`
}

/**
 * The text of an encoded `string`; null when it is none.
 * @param {string} hex
 */
export function decodeString(hex) {
  const bytes = bytesOfHex(hex)
  const offset = sizeAt(hex, 0)
  if (offset === null || offset % WORD !== 0) return null
  const length = sizeAt(hex, offset / WORD)
  const start = offset + WORD
  if (length === null || start + length > bytes.length) return null
  return new TextDecoder().decode(bytes.subarray(start, start + length))
}

/**
 * A name that a contract returned: as `string`, or as `bytes32` as old ones do; null when it is neither.
 * @param {string} hex
 */
export function decodeName(hex) {
  const bytes = bytesOfHex(hex)
  if (bytes.length !== WORD) return decodeString(hex)
  const end = bytes.indexOf(0)
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end))
}

/**
 * A word that can be a position; null when it is missing or too large.
 * @param {string} hex
 * @param {number} index
 */
function sizeAt(hex, index) {
  const size = uintAt(hex, index)
  return size === null || size > 0xffff_ffffn ? null : Number(size)
}
