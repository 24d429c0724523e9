import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { RawJson } from '../json.ts'
import { blockRef, LATEST } from '../params/blockSelector.ts'
import { type CallObject, callObject } from '../params/callObject.ts'
import { optional, type Param } from '../params/param.ts'
import { parseTraceTypes, type TraceTypes } from '../params/traceTypes.ts'
import { atBlockForCall } from '../select/resolveBlock.ts'
import { createCallRequest } from '../simulation/callRequest.ts'
import { parseAccountDiffs } from '../tracers/accountDiffs.ts'
import { CarriedState } from '../tracers/carriedState.ts'
import { tracedCall } from '../tracers/tracedCall.ts'

/** Most calls of one request. */
const MAX_CALLS = 100
const NOBODY = Buffer.alloc(20)

/** Flat traces of simulated calls, each on the state that the one before left, as Parity's method. */
export const callMany = defineMethod({
  name: 'trace_callMany',
  doc: 'Calls and changes of the state of calls after one another, each on the state that the one before left.',
  params: [tracedCalls(), optional(blockRef({ decimal: true }), LATEST)],
  result: { title: 'list of outputs with calls and changes' },
  lane: 'trace',
  cost: 100,
  cache: 'none',
  handler: (context, [calls, block]) =>
    atBlockForCall(context, block, (header) => {
      const carried = new CarriedState((address) => context.state.at(header).account(address))
      const { callGasCap } = context.node.settings
      const texts = calls.map(({ call, types }, index) => {
        const request = { ...createCallRequest(context, call, callGasCap, []), overrides: carried.overrides }
        const { text, diffs } = tracedCall(
          context,
          header,
          request,
          types,
          index < calls.length - 1 || types.stateDiff,
        )
        if (diffs !== null) carried.add(parseAccountDiffs(diffs), request.from ?? NOBODY)
        return text
      })
      return new RawJson(`[${texts.join(',')}]`)
    }),
})

interface TypedCall {
  readonly call: CallObject
  readonly types: TraceTypes
}

/** A list of pairs: a call object, and the kinds of trace. */
function tracedCalls(): Param<readonly TypedCall[]> {
  const object = callObject()
  return {
    name: 'calls',
    schema: {
      type: 'array',
      items: { type: 'array', items: [object.schema, { type: 'array' }] },
      maxItems: MAX_CALLS,
    },
    optional: false,
    parse: (value, method) => {
      if (!Array.isArray(value)) throw invalidParams('Invalid calls: array expected.')
      if (value.length > MAX_CALLS) throw invalidParams(`too many calls: at most ${MAX_CALLS}`)
      return value.map((pair: unknown) => {
        if (!Array.isArray(pair) || pair.length !== 2) {
          throw invalidParams('Invalid calls: each is a call object and a list of trace types.')
        }
        return { call: object.parse(pair[0], method), types: parseTraceTypes(pair[1]) }
      })
    },
  }
}
