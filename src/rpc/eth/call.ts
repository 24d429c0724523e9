import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { assertOverridable, createCallRequest } from '../shared/callRequest.ts'
import { blockRef } from '../shared/params/blockSelector.ts'
import { callObject } from '../shared/params/callObject.ts'
import { optional } from '../shared/params/param.ts'
import { stateOverrides } from '../shared/params/stateOverrides.ts'
import { atBlockForCall } from '../shared/resolveBlock.ts'
import { failureError, revertError } from '../shared/revert.ts'

/** Return data of a simulated call; a revert is an error with its payload (facts/rpc.md §3.5). */
export const call = defineMethod({
  name: 'eth_call',
  doc: 'Return data of a call that is simulated and leaves no trace.',
  params: [callObject(), blockRef({ decimal: true }), optional(stateOverrides(), [])],
  result: { type: 'string' },
  lane: 'evm',
  cost: 5,
  cache: 'head',
  handler: (context, [object, block, overrides]) => {
    const request = createCallRequest(context, object, context.node.settings.callGasCap, overrides)
    return atBlockForCall(context, block, (header) => {
      assertOverridable(context, header, request)
      const outcome = context.execution.call(header, request)
      if (outcome.status === 'revert') throw revertError(outcome.output)
      if (outcome.status === 'failure') throw failureError(outcome.reason)
      return toHex(outcome.output)
    })
  },
})
