import type { MineRequest } from '../../mining/blockProducer.ts'
import { invalidParams } from '../errors.ts'
import { boundedNumber } from './boundedNumber.ts'
import { isJsonObject, type Param } from './param.ts'

/** Most blocks of one request: each takes about a millisecond of the one thread that writes. */
export const MOST_BLOCKS = 100_000

/** A time, or `{timestamp, blocks}` (the parameter of evm_mine in Hardhat and Foundry). */
export function mineTarget(name = 'timestamp'): Param<MineRequest> {
  const time = boundedNumber('timestamp', Number.MAX_SAFE_INTEGER)
  const blocks = boundedNumber('blocks', MOST_BLOCKS)
  return {
    name,
    schema: { oneOf: [{ type: 'integer' }, { type: 'string' }, { type: 'object' }] },
    optional: false,
    parse: (value, method) => {
      if (!isJsonObject(value)) return { timestamp: time.parse(value, method) }
      const { timestamp, blocks: count } = value
      if (timestamp === undefined && count === undefined) {
        throw invalidParams(`Invalid ${name}: timestamp or blocks expected`)
      }
      return {
        ...(timestamp === undefined || timestamp === null
          ? {}
          : { timestamp: time.parse(timestamp, method) }),
        ...(count === undefined || count === null ? {} : { count: blocks.parse(count, method) }),
      }
    },
  }
}
