import { invalidParams } from '../errors.ts'

/** The first byte (EIP-2718) of each transaction type of Ethereum, and its EIP. */
const KNOWN_TYPES: ReadonlyMap<number, string> = new Map([
  [1, 'EIP-2930'],
  [2, 'EIP-1559'],
  [3, 'EIP-4844'],
  [4, 'EIP-7702'],
])

/** That there are no transactions with a type, and how the common clients send others. */
const LEGACY_ONLY =
  'this network takes legacy transactions: send type 0 with gasPrice, ' +
  "that is type: 'legacy' in viem, type: 0 in ethers, gasPrice in Hardhat and web3, --legacy in Foundry"

/**
 * Methods by which clients price transactions with a type; where they are there, clients send such (decisions.md D44).
 */
const FEE_MARKET_METHODS: ReadonlySet<string> = new Set([
  'eth_baseFee',
  'eth_blobBaseFee',
  'eth_feeHistory',
  'eth_maxPriorityFeePerGas',
])

/** The explanation for a method that prices transactions with a type; undefined for any other. */
export function whyNoFeeMarket(method: string): string | undefined {
  if (!FEE_MARKET_METHODS.has(method)) return undefined
  return `the method ${method} does not exist/is not available: ${LEGACY_ONLY}`
}

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
  throw invalidParams(`transaction type not valid: 0x${type} (${proposal}); ${LEGACY_ONLY}`)
}
