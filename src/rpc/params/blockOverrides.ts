import { invalidParams } from '../errors.ts'
import { boundedNumber } from './boundedNumber.ts'
import { parseAddress } from './hex.ts'
import { parseUnsigned } from './number.ts'
import { isGiven, isJsonObject, type JsonSchema, nodeText, type Param } from './param.ts'
import { wideNumber } from './wideNumber.ts'

/** Fields of a block that a request overrides; absent ones are those of the chain. */
export interface BlockOverrides {
  readonly number?: number
  /** Seconds since 1970. */
  readonly time?: number
  readonly gasLimit?: bigint
  readonly feeRecipient?: Buffer
}

const NUMBER = boundedNumber('number', Number.MAX_SAFE_INTEGER)
const TIME = boundedNumber('time', Number.MAX_SAFE_INTEGER)
const GAS = wideNumber('gasLimit', 63)

/** Schema of block overrides. */
export const BLOCK_OVERRIDES_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    number: { type: 'string' },
    time: { type: 'string' },
    gasLimit: { type: 'string' },
    feeRecipient: { type: 'string' },
    baseFeePerGas: { type: 'string' },
  },
}

/** The fourth parameter of eth_call and eth_estimateGas. */
export function blockOverrides(name = 'blockOverrides'): Param<BlockOverrides> {
  return { name, schema: BLOCK_OVERRIDES_SCHEMA, optional: false, parse: parseBlockOverrides }
}

/**
 * Reads block overrides; fields that blocks of this chain have not are ignored.
 * @throws RpcError kind `invalidParams`
 */
export function parseBlockOverrides(overrides: unknown, method: string): BlockOverrides {
  if (!isJsonObject(overrides)) throw invalidParams('Invalid blockOverrides: object expected.')
  const { number, time, gasLimit, feeRecipient, baseFeePerGas } = overrides
  if (isGiven(baseFeePerGas) && parseUnsigned(nodeText(baseFeePerGas)) !== 0n) {
    throw invalidParams('Invalid baseFeePerGas: blocks of this chain have none.')
  }
  return {
    ...(isGiven(number) && { number: NUMBER.parse(number, method) }),
    ...(isGiven(time) && { time: TIME.parse(time, method) }),
    ...(isGiven(gasLimit) && { gasLimit: GAS.parse(gasLimit, method) }),
    ...(isGiven(feeRecipient) && { feeRecipient: parseAddress(nodeText(feeRecipient)) }),
  }
}
