import { defineMethod } from '../defineMethod.ts'
import { assertOverridable, createCallRequest } from '../shared/callRequest.ts'
import { blockRef, LATEST } from '../shared/params/blockSelector.ts'
import { callObject } from '../shared/params/callObject.ts'
import { optional } from '../shared/params/param.ts'
import { stateOverrides } from '../shared/params/stateOverrides.ts'
import { quantity } from '../shared/quantity.ts'
import { atBlockForCall } from '../shared/resolveBlock.ts'
import { failureError, revertError } from '../shared/revert.ts'

/**
 * Gas of a call, with an empty list: on this chain an access list saves no gas and costs its bytes
 * (facts/rpc.md §8.3). A call that fails has its error beside the gas, as Ethereum clients tell it.
 */
export const createAccessList = defineMethod({
  name: 'eth_createAccessList',
  doc: 'Gas of a call; its access list is always empty, since lists save nothing on this chain.',
  params: [callObject(), optional(blockRef({ decimal: true }), LATEST), optional(stateOverrides(), [])],
  result: { type: 'object' },
  lane: 'evm',
  cost: 5,
  cache: 'none',
  handler: (context, [object, block, overrides]) => {
    const request = createCallRequest(context, object, context.node.settings.callGasCap, overrides)
    return atBlockForCall(context, block, (header) => {
      assertOverridable(context, header, request)
      const outcome = context.execution.call(header, request)
      const answer = { accessList: [], gasUsed: quantity(outcome.gasUsed) }
      switch (outcome.status) {
        case 'success':
          return answer
        case 'revert':
          return { ...answer, error: revertError(outcome.output).message }
        case 'failure':
          return { ...answer, error: failureError(outcome.reason).message }
      }
    })
  },
})
