import { invalidParams } from '../errors.ts'
import type { Param } from './param.ts'

/** The parts of the answer of a replay besides the output. */
export interface TraceTypes {
  /** The calls. */
  readonly trace: boolean
  /** The changes of the state. */
  readonly stateDiff: boolean
}

const SHOWN_CHARACTERS = 66

/** The kinds of trace that a request to Parity's methods names; `vmTrace` is refused. */
export function traceTypes(name = 'traceTypes'): Param<TraceTypes> {
  return {
    name,
    schema: { type: 'array', items: { type: 'string', enum: ['trace', 'stateDiff'] } },
    optional: false,
    parse: parseTraceTypes,
  }
}

/** @throws RpcError kind `invalidParams` that names what is not supported */
export function parseTraceTypes(value: unknown): TraceTypes {
  if (!Array.isArray(value)) throw invalidParams('Invalid traceTypes: array expected.')
  for (const type of value as unknown[]) {
    if (type === 'trace' || type === 'stateDiff') continue
    throw invalidParams(
      `trace type ${JSON.stringify(type)?.slice(0, SHOWN_CHARACTERS)} is not supported, only "trace" and "stateDiff" are`,
    )
  }
  return { trace: value.includes('trace'), stateDiff: value.includes('stateDiff') }
}
