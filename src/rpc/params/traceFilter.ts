import { invalidParams, RpcError } from '../errors.ts'
import type { BlockSelector } from './blockSelector.ts'
import { LATEST, namesOf } from './blockSelector.ts'
import { parseAddress } from './hex.ts'
import { isJsonObject, namingBlocks, type Param, scalarText } from './param.ts'
import { parseTracedBlock } from './tracedBlock.ts'

/** Most traces that one request may ask for (`rpc.trace.maxTracesPerRequest`). */
export const MAX_TRACES = 10_000

/** What trace_filter looks for. */
export interface TraceFilter {
  readonly fromBlock: BlockSelector
  readonly toBlock: BlockSelector
  /** 20 bytes each; empty means any. */
  readonly fromAddresses: readonly Buffer[]
  readonly toAddresses: readonly Buffer[]
  /** Traces to pass over. */
  readonly after: number
  /** Traces to give. */
  readonly count: number
}

const EARLIEST: BlockSelector = { kind: 'tag', tag: 'earliest' }
const FIELDS = new Set(['fromBlock', 'toBlock', 'fromAddress', 'toAddress', 'after', 'count'])
const ADDRESS_DIGITS = 40
/** The reference measures the parameter, which is no text. */
const WRONG_LENGTH = 'invalid argument 0: hex string has length 0, want 40 for RSK address'
const INTEGER = /^-?[0-9]{1,10}$/

/** The parameter of trace_filter; an unknown field makes it unreadable (rpc.md §3.14). */
export function traceFilter(name = 'filter'): Param<TraceFilter> {
  const param: Param<TraceFilter> = {
    name,
    schema: {
      type: 'object',
      properties: {
        fromBlock: { type: 'string' },
        toBlock: { type: 'string' },
        fromAddress: { type: 'array', items: { type: 'string' } },
        toAddress: { type: 'array', items: { type: 'string' } },
        after: { type: 'integer' },
        count: { type: 'integer' },
      },
      additionalProperties: false,
    },
    optional: false,
    parse: (value) => {
      if (!isJsonObject(value)) throw invalidParams('Invalid trace_filter parameters.')
      for (const field of Object.keys(value)) if (!FIELDS.has(field)) throw new RpcError('parse')
      const count = integer('count', value['count'], MAX_TRACES)
      if (count > MAX_TRACES) throw tooBig('Count')
      const after = integer('after', value['after'], 0)
      if (after < 0) throw invalidParams('After value cannot be negative.')
      if (after > MAX_TRACES) throw tooBig('After')
      if (count < 0) throw invalidParams('Count value cannot be negative.')
      return {
        fromBlock: blockOf(value['fromBlock'], EARLIEST),
        toBlock: blockOf(value['toBlock'], LATEST),
        fromAddresses: addresses(value['fromAddress']),
        toAddresses: addresses(value['toAddress']),
        after,
        count,
      }
    },
  }
  return namingBlocks(param, ({ fromBlock, toBlock }) => [...namesOf(fromBlock), ...namesOf(toBlock)])
}

function tooBig(what: string): RpcError {
  return invalidParams(`${what} value too big. Maximum ${MAX_TRACES} traces allowed.`)
}

function integer(field: string, value: unknown, fallback: number): number {
  if (value === undefined || value === null) return fallback
  const text = scalarText(value)
  if (!INTEGER.test(text)) throw invalidParams(`Invalid ${field}: integer expected.`)
  return Number(text)
}

function blockOf(value: unknown, fallback: BlockSelector): BlockSelector {
  return value === undefined || value === null ? fallback : parseTracedBlock(scalarText(value))
}

function addresses(value: unknown): Buffer[] {
  if (value === undefined || value === null) return []
  return (Array.isArray(value) ? value : [value]).map((address: unknown) => {
    const text = scalarText(address)
    if (text.length < ADDRESS_DIGITS || text.length > ADDRESS_DIGITS + 2) throw invalidParams(WRONG_LENGTH)
    return parseAddress(text)
  })
}
