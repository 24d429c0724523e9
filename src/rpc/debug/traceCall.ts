import { defineMethod } from '../defineMethod.ts'
import { RawJson } from '../json.ts'
import { createCallRequest } from '../shared/callRequest.ts'
import { blockRef, LATEST } from '../shared/params/blockSelector.ts'
import { callObject } from '../shared/params/callObject.ts'
import { optional } from '../shared/params/param.ts'
import { callTraceOptions } from '../shared/params/traceOptions.ts'
import { atBlockForCall } from '../shared/resolveBlock.ts'
import { tracing } from '../shared/traceBlock.ts'

/** Trace of a simulated call, as geth's method on this chain (facts/rpc.md §8.3). */
export const traceCall = defineMethod({
  name: 'debug_traceCall',
  doc: 'Trace of a call that is simulated and leaves no trace in the chain; options as debug_traceTransaction, and stateOverrides.',
  params: [callObject(), optional(blockRef({ decimal: true }), LATEST), callTraceOptions()],
  result: { title: 'trace' },
  lane: 'trace',
  cost: 50,
  cache: 'none',
  handler: (context, [object, block, { form, overrides }]) => {
    const request = createCallRequest(context, object, context.node.settings.callGasCap, overrides)
    return atBlockForCall(context, block, (header) => {
      const { texts } = tracing(context, header, () => context.tracing.call(header, request, form))
      return new RawJson(texts[0] ?? 'null')
    })
  },
})
