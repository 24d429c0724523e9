import { invalidParams } from '../errors.ts'

/** First bytes of what is no RLP list, and so may name a type (EIP-2718). */
const HIGHEST_TYPE = 0x7f

/** The types that clients send elsewhere, and the proposal that each comes from. */
const KNOWN_TYPES: ReadonlyMap<number, string> = new Map([
  [1, 'EIP-2930'],
  [2, 'EIP-1559'],
  [3, 'EIP-4844'],
  [4, 'EIP-7702'],
])

/**
 * Refuses a transaction with a type: this network has legacy transactions only (decisions.md D44). The text begins
 * as geth's does, by which clients know it, and says how the common clients send the others.
 * @throws RpcError -32602
 */
export function assertLegacy(encoded: Uint8Array): void {
  const [type = HIGHEST_TYPE + 1] = encoded
  // A single byte is no transaction of any type.
  if (type === 0 || type > HIGHEST_TYPE || encoded.length < 2) return
  const known = KNOWN_TYPES.get(type)
  const name = `0x${type.toString(16)}${known === undefined ? '' : ` (${known})`}`
  throw invalidParams(
    `transaction type not valid: ${name}; this network takes legacy transactions: send type 0 with gasPrice, ` +
      "that is type: 'legacy' in viem, type: 0 in ethers, gasPrice in Hardhat and web3, --legacy in Foundry",
  )
}
