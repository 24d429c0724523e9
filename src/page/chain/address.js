import { keccak256 } from './keccak.js'

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const KEPT = 4096

/** Contracts that are part of the node, by the last bytes of their address. */
const NATIVE = new Map([
  ['01000006', 'Bridge'],
  ['01000008', 'REMASC'],
  ['01000009', 'HDWalletUtils'],
  ['01000010', 'BlockHeader'],
  ['01000011', 'Environment'],
])

/** @type {Map<string, string>} */
const kept = new Map()

/** Whether a text is an address of 20 bytes. @param {string} text */
export function isAddress(text) {
  return ADDRESS.test(text)
}

/**
 * An address with the letters of its checksum, which depend on the chain (RSKIP-60).
 * @param {string} address
 * @param {number} chainId
 */
export function checksumAddress(address, chainId) {
  const lower = address.toLowerCase()
  const id = `${chainId}${lower}`
  const known = kept.get(id)
  if (known !== undefined) return known
  const hash = keccak256(new TextEncoder().encode(id))
  const digits = [...lower.slice(2)].map((digit, index) =>
    Number.parseInt(hash[index] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  )
  const text = `0x${digits.join('')}`
  if (kept.size >= KEPT) kept.clear()
  kept.set(id, text)
  return text
}

/** The name of a contract that is part of the node; null for any other. @param {string} address */
export function nativeName(address) {
  return address.startsWith(`0x${'0'.repeat(32)}`) ? (NATIVE.get(address.slice(34)) ?? null) : null
}
