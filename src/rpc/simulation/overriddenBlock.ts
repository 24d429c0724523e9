import type { BlockHeader } from '../../chain/codec/header.ts'
import type { CallRequest } from '../../execution/callTypes.ts'
import type { NodeContext } from '../context.ts'
import type { BlockOverrides } from '../params/blockOverrides.ts'

const NO_BLOCK = Buffer.alloc(32)
/** More blocks than BLOCKHASH can look back. */
const MAX_OVERRIDDEN = 0xffff

/**
 * The same call in an overridden block on the state of an existing one. Programs see the overridden number, time, gas
 * limit and miner. BLOCKHASH gives the hashes of existing blocks, and zero for the gap between.
 */
export function inOverriddenBlock(
  { chain }: Pick<NodeContext, 'chain'>,
  header: BlockHeader,
  request: CallRequest,
  overrides: BlockOverrides | null,
): CallRequest {
  if (overrides === null) return request
  const { number, time, gasLimit, feeRecipient } = overrides
  return {
    ...request,
    environment: {
      ...(number === undefined ? {} : { number, ...below(chain, header, number) }),
      ...(time === undefined ? {} : { timestamp: BigInt(time) }),
      ...(gasLimit === undefined ? {} : { gasLimit }),
      ...(feeRecipient === undefined ? {} : { coinbase: feeRecipient }),
    },
  }
}

/** The highest existing block below a height, and how many are missing above it. */
function below(chain: NodeContext['chain'], header: BlockHeader, number: number) {
  if (number === header.number) return {}
  if (number === 0) return { parentHash: NO_BLOCK }
  if (number < header.number) return { parentHash: chain.hashByNumber(number - 1) ?? NO_BLOCK }
  // A pending block has no hash yet.
  const isStored = chain.heightOf(header.hash) !== null
  const missing = number - header.number - (isStored ? 1 : 0)
  return {
    parentHash: isStored ? header.hash : header.parentHash,
    overriddenBelow: Math.min(missing, MAX_OVERRIDDEN),
  }
}
