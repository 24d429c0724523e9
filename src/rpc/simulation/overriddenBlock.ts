import type { BlockHeader } from '../../chain/codec/header.ts'
import type { CallRequest } from '../../execution/localExecution.ts'
import type { NodeContext } from '../context.ts'
import type { BlockOverrides } from '../params/blockOverrides.ts'

const NO_BLOCK = Buffer.alloc(32)
/** More than programs can look back. */
const MOST_PRETENDED = 0xffff

/**
 * The same call in a block that is overridden on the state of one that is: programs see its number, its time, its gas
 * limit and its miner. They find the hashes of the blocks below it that there are; those between read as zero.
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
      ...(time === undefined ? {} : { timestamp: time }),
      ...(gasLimit === undefined ? {} : { gasLimit }),
      ...(feeRecipient === undefined ? {} : { coinbase: feeRecipient }),
    },
  }
}

/** The highest block below a height that there is, and how many are missing above it. */
function below(chain: NodeContext['chain'], header: BlockHeader, number: number) {
  if (number === header.number) return {}
  if (number < header.number) return { parentHash: chain.hashByNumber(number - 1) ?? NO_BLOCK }
  // A pending block has no hash yet.
  const isStored = chain.heightOf(header.hash) !== null
  const missing = number - header.number - (isStored ? 1 : 0)
  return {
    parentHash: isStored ? header.hash : header.parentHash,
    pretendedBelow: Math.min(missing, MOST_PRETENDED),
  }
}
