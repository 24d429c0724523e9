import type { SubscriptionTopic } from '../../filters/subscriptionHub.ts'
import { RpcError } from '../errors.ts'
import { parseLogFilter } from './logFilter.ts'
import { isJsonObject, type JsonSchema, type Param } from './param.ts'

/** Members that the options of a `logs` subscription may have; those of blocks have no effect. */
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
    const filter = parseLogFilter({
      ...(address === undefined ? {} : { address }),
      ...(topics === undefined ? {} : { topics }),
    })
    return { kind: 'logs', criteria: { addresses: filter.addresses, topics: filter.topics } }
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0
}
