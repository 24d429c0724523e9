import type { CallFailure } from '../../execution/callTypes.ts'
import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { blockOverrides } from '../params/blockOverrides.ts'
import { estimateBlock, LATEST } from '../params/blockSelector.ts'
import { callObject } from '../params/callObject.ts'
import { optional } from '../params/param.ts'
import { stateOverrides } from '../params/stateOverrides.ts'
import { createCallRequest } from '../simulation/callRequest.ts'
import { revertError } from '../simulation/revert.ts'
import { simulateAt } from '../simulation/simulateAt.ts'

/** Gas with which the transaction succeeds; a simulation that cannot is an error (decisions.md D32). */
export const estimateGas = defineMethod({
  name: 'eth_estimateGas',
  doc: 'Gas with which a transaction succeeds.',
  params: [
    callObject(),
    optional(estimateBlock(), LATEST),
    optional(stateOverrides(), []),
    optional(blockOverrides(), null),
  ],
  result: { type: 'string', title: 'QUANTITY' },
  lane: 'evm',
  cost: 10,
  cache: 'head',
  fast: 'estimate',
  reportsReverts: true,
  handler: (context, [object, block, overrides, ofBlock]) => {
    const request = createCallRequest(context, object, context.node.settings.estimateGasCap, overrides)
    return simulateAt(context, 'estimate', block, request, ofBlock, estimateError)
  },
})

function estimateError(failure: CallFailure): RpcError {
  switch (failure.status) {
    case 'revert':
      return revertError(failure.output)
    case 'insufficientFunds':
      return new RpcError('executionFailed', 'insufficient funds for transfer')
    case 'failure':
      return new RpcError('executionFailed', failure.reason)
  }
}
