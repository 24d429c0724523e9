import { invalidParams, type RpcError } from '../errors.ts'
import type { BlockSelector } from './blockSelector.ts'
import { LATEST, namesOf } from './blockSelector.ts'
import { parseAddress } from './hex.ts'
import { isGiven, isJsonObject, namingBlocks, type Param, scalarText } from './param.ts'
import { parseTracedBlock } from './tracedBlock.ts'

/** Most traces that one request may ask for (`rpc.trace.maxTracesPerRequest`). */
export const MAX_TRACES = 10_000

/** Ways in which two lists of addresses go together (decisions.md D80). */
export type TraceMode = 'intersection' | 'union'

/** The criteria of trace_filter. */
export interface TraceFilter {
  readonly fromBlock: BlockSelector
  readonly toBlock: BlockSelector
  /** 20 bytes each; empty means any. */
  readonly fromAddresses: readonly Buffer[]
  readonly toAddresses: readonly Buffer[]
  /**
   * True when sender and receiver have to be among the addresses, or one of the two. Without one of the lists it is the
   * same.
   */
  readonly mode: TraceMode
  /** Traces to pass over. */
  readonly after: number
  /** Traces to give. */
  readonly count: number
}

const EARLIEST: BlockSelector = { kind: 'tag', tag: 'earliest' }
const PROPERTIES = {
  fromBlock: { type: 'string' },
  toBlock: { type: 'string' },
  fromAddress: { type: 'array', items: { type: 'string' } },
  toAddress: { type: 'array', items: { type: 'string' } },
  mode: { type: 'string', enum: ['union', 'intersection'] },
  after: { type: 'integer' },
  count: { type: 'integer' },
}
const SHOWN_CHARACTERS = 66
const ADDRESS_DIGITS = 40
/** The reference measures the parameter, which is no text. */
const WRONG_LENGTH = 'invalid argument 0: hex string has length 0, want 40 for RSK address'
const INTEGER = /^-?[0-9]{1,10}$/

/** The parameter of trace_filter; an unknown field is refused, as by the reference (rpc.md §3.14). */
export function traceFilter(name = 'filter'): Param<TraceFilter> {
  const param: Param<TraceFilter> = {
    name,
    schema: { type: 'object', properties: PROPERTIES, additionalProperties: false },
    optional: false,
    parse: (value) => {
      if (!isJsonObject(value)) throw invalidParams('Invalid trace_filter parameters.')
      for (const field of Object.keys(value)) {
        if (!Object.hasOwn(PROPERTIES, field)) {
          throw invalidParams(`Invalid trace_filter parameters: unknown field ${shown(field)}.`)
        }
      }
      const count = integer('count', value['count'], MAX_TRACES)
      if (count > MAX_TRACES) throw tooBig('Count')
      const after = integer('after', value['after'], 0)
      if (after < 0) throw invalidParams('After value cannot be negative.')
      if (after > MAX_TRACES) throw tooBig('After')
      if (count < 0) throw invalidParams('Count value cannot be negative.')
      const mode = modeOf(value['mode'])
      const fromAddresses = addresses(value['fromAddress'])
      const toAddresses = addresses(value['toAddress'])
      const isOneList = fromAddresses.length === 0 || toAddresses.length === 0
      return {
        fromBlock: blockOf(value['fromBlock'], EARLIEST),
        toBlock: blockOf(value['toBlock'], LATEST),
        fromAddresses,
        toAddresses,
        mode: isOneList ? 'intersection' : mode,
        after,
        count,
      }
    },
  }
  return namingBlocks(param, ({ fromBlock, toBlock }) => [...namesOf(fromBlock), ...namesOf(toBlock)])
}

function modeOf(value: unknown): TraceMode {
  if (!isGiven(value) || value === 'intersection') return 'intersection'
  if (value === 'union') return value
  throw invalidParams(`Invalid mode ${shown(value)}: "union" or "intersection" expected.`)
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, SHOWN_CHARACTERS)
}

function tooBig(what: string): RpcError {
  return invalidParams(`${what} value too big. Maximum ${MAX_TRACES} traces allowed.`)
}

function integer(field: string, value: unknown, fallback: number): number {
  if (!isGiven(value)) return fallback
  const text = scalarText(value)
  if (!INTEGER.test(text)) throw invalidParams(`Invalid ${field}: integer expected.`)
  return Number(text)
}

function blockOf(value: unknown, fallback: BlockSelector): BlockSelector {
  return isGiven(value) ? parseTracedBlock(scalarText(value)) : fallback
}

function addresses(value: unknown): Buffer[] {
  if (!isGiven(value)) return []
  return (Array.isArray(value) ? value : [value]).map((address: unknown) => {
    const text = scalarText(address)
    if (text.length < ADDRESS_DIGITS || text.length > ADDRESS_DIGITS + 2) throw invalidParams(WRONG_LENGTH)
    return parseAddress(text)
  })
}
