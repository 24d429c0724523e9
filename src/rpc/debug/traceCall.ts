import { defineMethod } from '../defineMethod.ts'
import { RawJson } from '../json.ts'
import { blockRef, LATEST } from '../params/blockSelector.ts'
import { callObject } from '../params/callObject.ts'
import { optional } from '../params/param.ts'
import { callTraceOptions } from '../params/traceOptions.ts'
import { atBlockForCall } from '../select/resolveBlock.ts'
import { createCallRequest } from '../simulation/callRequest.ts'
import { inOverriddenBlock } from '../simulation/overriddenBlock.ts'
import { tracing } from '../tracers/traceBlock.ts'

/** Trace of a simulated call, as geth's method on this chain (rpc.md §8.3). */
export const traceCall = defineMethod({
  name: 'debug_traceCall',
  doc: 'Trace of a call that is simulated and leaves no trace in the chain; options as debug_traceTransaction, stateOverrides and blockOverrides.',
  params: [callObject(), optional(blockRef({ decimal: true }), LATEST), callTraceOptions()],
  result: { title: 'trace' },
  lane: 'trace',
  cost: 50,
  cache: 'none',
  handler: (context, [object, block, { form, overrides, blockOverrides }]) => {
    const request = createCallRequest(context, object, context.node.settings.callGasCap, overrides)
    return atBlockForCall(context, block, (header) => {
      const { texts } = tracing(context, header, () =>
        context.tracing.call(header, inOverriddenBlock(context, header, request, blockOverrides), form),
      )
      return new RawJson(texts[0] ?? 'null')
    })
  },
})
