import type { SubscriptionTopic } from '../../filters/subscriptionHub.ts'
import { fromHex } from '../../util/bytes.ts'
import { invalidParams, RpcError } from '../errors.ts'
import { parseLogFilter } from './logFilter.ts'
import { isGiven, isJsonObject, type JsonSchema, type Param } from './param.ts'

const BLOCK_HASH = /^0x[0-9a-f]{64}$/i
/** Members that the options of a `logs` subscription may have. */
const LOG_OPTIONS: ReadonlySet<string> = new Set(['address', 'topics', 'fromBlock', 'toBlock'])

/** Any value, to be read together with its neighbours. */
export function anyValue(name: string, schema: JsonSchema): Param<unknown> {
  return { name, schema, optional: true, parse: (value) => value }
}

/**
 * What a subscription is for (rpc.md §6), of the two parameters of eth_subscribe; null where the
 * reference would not know either.
 */
export function parseSubscriptionTopic(kind: unknown, options: unknown): SubscriptionTopic | null {
  switch (kind) {
    case 'newHeads':
      return options === undefined || isResumption(options) ? { kind } : null
    case 'syncing':
    case 'newWork':
      return options === undefined || isEmptyObject(options) ? { kind } : null
    case 'newPendingTransactions':
      if (typeof options === 'boolean') return { kind, full: options }
      return options === undefined || isEmptyObject(options) ? { kind, full: false } : null
    case 'logs':
      return parseLogTopic(options === undefined ? {} : options)
    default:
      return null
  }
}

function parseLogTopic(options: unknown): SubscriptionTopic | null {
  if (!isJsonObject(options) || Object.keys(options).some((name) => !LOG_OPTIONS.has(name))) return null
  const { address, topics } = options
  try {
    const filter = parseLogFilter({ address, topics })
    return { kind: 'logs', criteria: { addresses: filter.addresses, topics: filter.topics } }
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

/**
 * Hash of the block since which a subscription to heads or logs gets what happened (decisions.md D68); null where the
 * options name none. Other blocks have no effect on logs.
 * @throws RpcError when `fromBlock` of heads is no hash
 */
export function parseResumeHash(kind: unknown, options: unknown): Buffer | null {
  if ((kind !== 'newHeads' && kind !== 'logs') || !isJsonObject(options)) return null
  const { fromBlock } = options
  if (typeof fromBlock === 'string' && BLOCK_HASH.test(fromBlock)) return fromHex(fromBlock)
  if (kind === 'logs' || !isGiven(fromBlock)) return null
  throw invalidParams('fromBlock of a subscription to newHeads is the hash of a block')
}

function isResumption(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).every((name) => name === 'fromBlock')
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0
}
