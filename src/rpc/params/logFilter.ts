import type { LogCriteria } from '../../chain/logs/logCriteria.ts'
import { toHex } from '../../util/bytes.ts'
import { invalidParams } from '../errors.ts'
import { isBlockTag, parseIdentifier } from './blockSelector.ts'
import { parseAddress, parseHash } from './hex.ts'
import { type BlockName, isGiven, isJsonObject, namingBlocks, nodeText, type Param } from './param.ts'

/**
 * Most bytes of the parameters (JSON text) of a filter or subscription, which stay in memory: some 1,400 addresses.
 * eth_getLogs, which keeps nothing, takes as many as fit in a body (decisions.md D54).
 */
export const MAX_CRITERIA_BYTES = 65_536

/** A log filter. Empty lists match anything. */
export interface LogFilter extends LogCriteria {
  /** Checked block ids in the request's words; null when absent. */
  readonly fromBlock: string | null
  readonly toBlock: string | null
  readonly blockHash: Buffer | null
}

/** A filter object; text and arrays in its place act as the empty one (rpc.md §5, §11). */
export function logFilter(name = 'filter'): Param<LogFilter> {
  const param: Param<LogFilter> = {
    name,
    schema: {
      type: 'object',
      properties: {
        fromBlock: { type: 'string' },
        toBlock: { type: 'string' },
        blockHash: { type: 'string' },
        address: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
        topics: { type: 'array' },
      },
    },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams(`${name} is null`)
      return parseLogFilter(isJsonObject(value) ? value : {})
    },
  }
  return namingBlocks(param, blocksOf)
}

/** Both ends, or the one block. */
function blocksOf({ fromBlock, toBlock, blockHash }: LogFilter): readonly BlockName[] {
  if (blockHash !== null) return [blockHash]
  return [fromBlock, toBlock].filter((text) => text !== null && !isBlockTag(text.toLowerCase())).map(Number)
}

/** The filter as parameter (JSON text) of eth_getLogs. */
export function encodeLogFilter({ fromBlock, toBlock, blockHash, addresses, topics }: LogFilter): string {
  return JSON.stringify({
    ...(fromBlock === null ? {} : { fromBlock }),
    ...(toBlock === null ? {} : { toBlock }),
    ...(blockHash === null ? {} : { blockHash: toHex(blockHash) }),
    address: addresses.map(toHex),
    topics: topics.map((alternatives) => alternatives.map(toHex)),
  })
}

/** @throws RpcError kind `invalidParams` with the reference's text */
export function parseLogFilter(fields: Record<string, unknown>): LogFilter {
  const fromBlock = readBlock(fields['fromBlock'])
  const toBlock = readBlock(fields['toBlock'])
  const addresses = readAddresses(fields['address'])
  const hash = fields['blockHash']
  const blockHash = isGiven(hash) ? parseHash(nodeText(hash), 'block hash') : null
  const topics = readTopics(fields['topics'])
  if (blockHash !== null && (fromBlock !== null || toBlock !== null)) {
    throw invalidParams('Cannot specify both blockHash and fromBlock/toBlock')
  }
  return { fromBlock, toBlock, blockHash, addresses, topics }
}

function readBlock(value: unknown): string | null {
  return isGiven(value) ? parseIdentifier(nodeText(value)) : null
}

function readAddresses(value: unknown): Buffer[] {
  if (!isGiven(value)) return []
  if (Array.isArray(value)) return value.map((item) => parseAddress(nodeText(item)))
  return [parseAddress(nodeText(value))]
}

function readTopics(value: unknown): Buffer[][] {
  if (!isGiven(value)) return []
  if (!Array.isArray(value)) return [[readTopic(value)]]
  return value.map((position) => {
    if (position === null) return []
    if (!Array.isArray(position)) return [readTopic(position)]
    // A null among alternatives is dropped, as the reference does.
    return position.filter((topic) => topic !== null).map(readTopic)
  })
}

function readTopic(value: unknown): Buffer {
  return parseHash(nodeText(value), 'topic')
}
