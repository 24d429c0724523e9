import { keccak256 } from './keccak.js'
import { bytesOfHex } from './text.js'

const ADDRESS_DIGITS = 40
/** RLP's marks of a short string and a short list (Ethereum yellow paper, appendix B). */
const STRING = 0x80
const LIST = 0xc0

/**
 * The address of the contract that a transaction without a receiver creates.
 * @param {string} sender
 * @param {bigint} nonce
 * @returns {string} in lower case
 */
export function createdAddress(sender, nonce) {
  const items = [...string(bytesOfHex(sender)), ...string(numberBytes(nonce))]
  const hash = keccak256(Uint8Array.from([LIST + items.length, ...items]))
  return `0x${hash.slice(-ADDRESS_DIGITS)}`
}

/** @param {Uint8Array} bytes fewer than 56 */
function string(bytes) {
  const [first] = bytes
  if (bytes.length === 1 && first !== undefined && first < STRING) return [first]
  return [STRING + bytes.length, ...bytes]
}

/** @param {bigint} value */
function numberBytes(value) {
  if (value === 0n) return new Uint8Array()
  const digits = value.toString(16)
  return bytesOfHex(`0x${digits.length % 2 === 0 ? '' : '0'}${digits}`)
}
