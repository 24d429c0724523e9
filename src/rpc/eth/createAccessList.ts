import { defineMethod } from '../defineMethod.ts'
import { toErrorObject } from '../errors.ts'
import { quantity } from '../format/quantity.ts'
import { blockRef, LATEST } from '../params/blockSelector.ts'
import { callObject } from '../params/callObject.ts'
import { optional } from '../params/param.ts'
import { stateOverrides } from '../params/stateOverrides.ts'
import { atBlockForCall } from '../select/resolveBlock.ts'
import { assertOverridable, createCallRequest } from '../simulation/callRequest.ts'
import { failureError, revertError } from '../simulation/revert.ts'

/**
 * Gas of a call, with an empty list: on this chain an access list saves no gas and costs its bytes
 * (rpc.md §8.3). A call that fails has its error beside the gas, as Ethereum clients do it.
 */
export const createAccessList = defineMethod({
  name: 'eth_createAccessList',
  doc: 'Gas of a call; its access list is always empty, since lists save nothing on this chain.',
  params: [callObject(), optional(blockRef({ decimal: true }), LATEST), optional(stateOverrides(), [])],
  result: { type: 'object' },
  lane: 'evm',
  cost: 5,
  cache: 'none',
  reportsReverts: true,
  handler: (context, [object, block, overrides], { reverts }) => {
    const request = createCallRequest(context, object, context.node.settings.callGasCap, overrides)
    return atBlockForCall(context, block, (header) => {
      assertOverridable(context, header, request)
      const outcome = context.execution.call(header, request)
      const answer = { accessList: [], gasUsed: quantity(outcome.gasUsed) }
      switch (outcome.status) {
        case 'success':
          return answer
        case 'revert':
          return { ...answer, error: toErrorObject(revertError(outcome.output), reverts).message }
        case 'failure':
          return { ...answer, error: failureError(outcome.reason).message }
      }
    })
  },
})
