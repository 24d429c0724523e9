import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { assertOverridable, createCallRequest } from '../shared/callRequest.ts'
import { estimateBlock, LATEST } from '../shared/params/blockSelector.ts'
import { callObject } from '../shared/params/callObject.ts'
import { optional } from '../shared/params/param.ts'
import { stateOverrides } from '../shared/params/stateOverrides.ts'
import { quantity } from '../shared/quantity.ts'
import { atBlockForCall } from '../shared/resolveBlock.ts'
import { revertError } from '../shared/revert.ts'

/** Gas with which the transaction succeeds; a simulation that cannot is an error (design.md §4). */
export const estimateGas = defineMethod({
  name: 'eth_estimateGas',
  doc: 'Gas with which a transaction succeeds.',
  params: [callObject(), optional(estimateBlock(), LATEST), optional(stateOverrides(), [])],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'evm',
  cost: 10,
  cache: 'head',
  handler: (context, [object, block, overrides]) => {
    const request = createCallRequest(context, object, context.node.settings.estimateGasCap, overrides)
    return atBlockForCall(context, block, (header) => {
      assertOverridable(context, header, request)
      const outcome = context.execution.estimate(header, request)
      switch (outcome.status) {
        case 'success':
          return quantity(outcome.gas)
        case 'revert':
          throw revertError(outcome.output)
        case 'insufficientFunds':
          throw new RpcError('executionFailed', 'insufficient funds for transfer')
        case 'failure':
          throw new RpcError('executionFailed', outcome.reason)
      }
    })
  },
})
