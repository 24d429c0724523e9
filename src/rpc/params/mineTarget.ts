import type { MineRequest } from '../../mining/blockProducer.ts'
import { invalidParams } from '../errors.ts'
import { boundedNumber } from './boundedNumber.ts'
import { isGiven, isJsonObject, type Param } from './param.ts'

/** Most blocks of one request: each takes about a millisecond of the one thread that writes. */
export const MAX_BLOCKS = 100_000

/** A time, or `{timestamp, blocks}` (the parameter of evm_mine in Hardhat and Foundry). */
export function mineTarget(name = 'timestamp'): Param<MineRequest> {
  const time = boundedNumber('timestamp', Number.MAX_SAFE_INTEGER)
  const blocks = boundedNumber('blocks', MAX_BLOCKS)
  return {
    name,
    schema: {
      oneOf: [
        { type: 'integer' },
        { type: 'string' },
        {
          type: 'object',
          properties: { timestamp: { type: 'integer' }, blocks: { type: 'integer' } },
        },
      ],
    },
    optional: false,
    parse: (value, method) => {
      if (!isJsonObject(value)) return { timestamp: time.parse(value, method) }
      const { timestamp, blocks: count } = value
      if (!isGiven(timestamp) && !isGiven(count)) {
        throw invalidParams(`Invalid ${name}: timestamp or blocks expected`)
      }
      return {
        ...(isGiven(timestamp) && { timestamp: time.parse(timestamp, method) }),
        ...(isGiven(count) && { count: blocks.parse(count, method) }),
      }
    },
  }
}
