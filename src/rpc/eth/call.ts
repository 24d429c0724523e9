import type { CallFailure } from '../../execution/callTypes.ts'
import { defineMethod } from '../defineMethod.ts'
import type { RpcError } from '../errors.ts'
import { blockOverrides } from '../params/blockOverrides.ts'
import { blockRef } from '../params/blockSelector.ts'
import { callObject } from '../params/callObject.ts'
import { optional } from '../params/param.ts'
import { stateOverrides } from '../params/stateOverrides.ts'
import { latestUnlessHosted } from '../select/resolveBlock.ts'
import { createCallRequest } from '../simulation/callRequest.ts'
import { failureError, revertError } from '../simulation/revert.ts'
import { simulateAt } from '../simulation/simulateAt.ts'

/** Return data of a simulated call; a revert is an error with its payload (rpc.md §3.5). */
export const call = defineMethod({
  name: 'eth_call',
  doc: 'Return data of a call that is simulated and leaves no trace.',
  params: [
    callObject(),
    optional(blockRef({ decimal: true }), null),
    optional(stateOverrides(), []),
    optional(blockOverrides(), null),
  ],
  result: { type: 'string' },
  lane: 'evm',
  cost: 5,
  cache: 'head',
  fast: 'call',
  reportsReverts: true,
  handler: (context, [object, given, overrides, ofBlock]) => {
    const block = given ?? latestUnlessHosted(context)
    const request = createCallRequest(context, object, context.node.settings.callGasCap, overrides)
    return simulateAt(context, 'output', block, request, ofBlock, callError)
  },
})

function callError(failure: CallFailure): RpcError {
  switch (failure.status) {
    case 'revert':
      return revertError(failure.output)
    case 'insufficientFunds':
      return failureError('insufficient funds')
    case 'failure':
      return failureError(failure.reason)
  }
}
