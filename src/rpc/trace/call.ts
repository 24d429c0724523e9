import { defineMethod } from '../defineMethod.ts'
import { RawJson } from '../json.ts'
import { blockRef, LATEST } from '../params/blockSelector.ts'
import { callObject } from '../params/callObject.ts'
import { optional } from '../params/param.ts'
import { traceTypes } from '../params/traceTypes.ts'
import { atBlockForCall } from '../select/resolveBlock.ts'
import { createCallRequest } from '../simulation/callRequest.ts'
import { tracedCall } from '../tracers/tracedCall.ts'

/** Flat trace of a simulated call, as Parity's method. */
export const call = defineMethod({
  name: 'trace_call',
  doc: 'Calls and changes of the state of a call that is simulated and leaves no trace in the chain, with its output.',
  params: [callObject(), traceTypes(), optional(blockRef({ decimal: true }), LATEST)],
  result: { title: 'output, list of calls, changes' },
  lane: 'trace',
  cost: 50,
  cache: 'none',
  handler: (context, [object, types, block]) => {
    const request = createCallRequest(context, object, context.node.settings.callGasCap, [])
    return atBlockForCall(
      context,
      block,
      (header) => new RawJson(tracedCall(context, header, request, types).text),
    )
  },
})
