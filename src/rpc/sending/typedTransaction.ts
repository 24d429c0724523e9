import { invalidParams } from '../errors.ts'

/** The first byte (EIP-2718) of each transaction type of Ethereum, and its EIP. */
const KNOWN_TYPES: ReadonlyMap<number, string> = new Map([
  [1, 'EIP-2930'],
  [2, 'EIP-1559'],
  [3, 'EIP-4844'],
  [4, 'EIP-7702'],
])

/**
 * Refuses a transaction with a type: this network has legacy transactions only (decisions.md D44). The text begins
 * like geth's, which clients recognise, and says how the common clients send legacy ones.
 * @throws RpcError -32602
 */
export function assertLegacy(encoded: Uint8Array): void {
  const [type = 0] = encoded
  const proposal = KNOWN_TYPES.get(type)
  // Other bytes are malformed, and a single one is no transaction of any type.
  if (proposal === undefined || encoded.length < 2) return
  throw invalidParams(
    `transaction type not valid: 0x${type} (${proposal}); this network takes legacy transactions: send type 0 with gasPrice, ` +
      "that is type: 'legacy' in viem, type: 0 in ethers, gasPrice in Hardhat and web3, --legacy in Foundry",
  )
}
