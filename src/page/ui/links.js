/** @import { Context, Child } from '../types.js' */
import { checksumAddress, nativeName } from '../chain/address.js'
import { formatInteger } from '../chain/amounts.js'
import { copyButton } from './copy.js'
import { el } from './dom.js'

const HEAD_DIGITS = 8
const TAIL_DIGITS = 6

/**
 * The first and last digits of a hash.
 * @param {string} hash
 */
export function shortened(hash) {
  return hash.length > HEAD_DIGITS + TAIL_DIGITS + 4
    ? `${hash.slice(0, 2 + HEAD_DIGITS)}…${hash.slice(-TAIL_DIGITS)}`
    : hash
}

/** A link to a block by its number. @param {bigint | number} number */
export function blockLink(number) {
  return el('a', { href: `#/block/${number}`, class: 'number' }, formatInteger(number))
}

/** A link to a block by its hash, with a button that copies it. @param {string} hash @param {boolean} [isWhole] */
export function blockHashLink(hash, isWhole = false) {
  return hashWith(`#/block/${encodeURIComponent(hash)}`, hash, 'block hash', isWhole)
}

/** A link to a transaction. @param {string} hash @param {boolean} [isWhole] */
export function transactionLink(hash, isWhole = false) {
  return hashWith(`#/tx/${encodeURIComponent(hash)}`, hash, 'transaction hash', isWhole)
}

/**
 * A link to an address: with the letters of its checksum, or the name of a contract of the node.
 * @param {Context} context
 * @param {string | null} address
 * @param {boolean} [isWhole]
 * @returns {Child}
 */
export function addressLink({ chainId }, address, isWhole = false) {
  if (address === null) return 'new contract'
  // The miner of a block without a coinbase.
  if (address === '0x') return 'no address'
  const text = checksumAddress(address, chainId)
  const href = `#/address/${encodeURIComponent(text)}`
  const name = nativeName(address)
  if (name !== null && !isWhole) return el('a', { href, title: text }, name)
  return hashWith(href, text, 'address', isWhole, name)
}

/**
 * A hash that is no link, whole and with a button that copies it.
 * @param {string} hash
 * @param {string} what
 */
export function wholeHash(hash, what) {
  return el('span', { class: 'hash' }, el('code', {}, hash), copyButton(hash, what))
}

/**
 * @param {string} href
 * @param {string} hash
 * @param {string} what
 * @param {boolean} isWhole
 * @param {string | null} [name]
 */
function hashWith(href, hash, what, isWhole, name = null) {
  return el(
    'span',
    { class: 'hash' },
    el('a', { href, title: isWhole ? null : hash }, el('code', {}, isWhole ? hash : shortened(hash))),
    copyButton(hash, what),
    name === null ? null : el('span', { class: 'tag' }, name),
  )
}
