import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { RawJson } from '../json.ts'
import { blockRef, LATEST } from '../params/blockSelector.ts'
import { callObject } from '../params/callObject.ts'
import { optional, type Param } from '../params/param.ts'
import { atBlockForCall } from '../select/resolveBlock.ts'
import { createCallRequest } from '../simulation/callRequest.ts'
import { tracing } from '../tracers/traceBlock.ts'

/** Kinds of trace asked for: this node has `trace` alone. */
const TRACE_TYPES: Param<readonly string[]> = {
  name: 'traceTypes',
  schema: { type: 'array', items: { type: 'string', enum: ['trace'] } },
  optional: false,
  parse: (value) => {
    if (!Array.isArray(value)) throw invalidParams('Invalid traceTypes: array expected.')
    return value.map((type: unknown) => {
      if (type === 'trace') return type
      throw invalidParams(
        `trace type ${JSON.stringify(type)?.slice(0, 66)} is not supported, only "trace" is`,
      )
    })
  },
}

/** Flat trace of a simulated call, as Parity's method. */
export const call = defineMethod({
  name: 'trace_call',
  doc: 'Calls of a call that is simulated and leaves no trace in the chain, with its output.',
  params: [callObject(), TRACE_TYPES, optional(blockRef({ decimal: true }), LATEST)],
  result: { title: 'output and list of calls' },
  lane: 'trace',
  cost: 50,
  cache: 'none',
  handler: (context, [object, types, block]) => {
    const request = createCallRequest(context, object, context.node.settings.callGasCap, [])
    return atBlockForCall(context, block, (header) => {
      const { texts, output } = tracing(context, header, () =>
        context.tracing.call(header, request, { tracer: 'flat' }),
      )
      const trace = types.includes('trace') ? `[${texts.join(',')}]` : '[]'
      return new RawJson(`{"output":"${toHex(output)}","stateDiff":null,"trace":${trace},"vmTrace":null}`)
    })
  },
})
