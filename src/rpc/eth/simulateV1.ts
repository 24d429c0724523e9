import { defineMethod } from '../defineMethod.ts'
import { invalidParams, RpcError } from '../errors.ts'
import { assertOverridable } from '../shared/callRequest.ts'
import { blockRef, LATEST } from '../shared/params/blockSelector.ts'
import { optional } from '../shared/params/param.ts'
import { simulation } from '../shared/params/simulation.ts'
import { atBlockForCall } from '../shared/resolveBlock.ts'
import { formatSimulatedBlock, planBlocks } from '../shared/simulatedBlocks.ts'

/**
 * Calls after one another over pretended blocks on top of a block (facts/rpc.md §8.3). With `validation` a call
 * that could be in no block is an error of the whole request.
 */
export const simulateV1 = defineMethod({
  name: 'eth_simulateV1',
  doc: 'Calls after one another over pretended blocks, each on the state that the one before left.',
  params: [simulation(), optional(blockRef({ decimal: true }), LATEST)],
  result: { type: 'array' },
  lane: 'evm',
  cost: 50,
  cache: 'none',
  handler: (context, [{ blocks, validation }, block]) => {
    const { execution, node } = context
    const { settings } = node
    if (blocks.some(({ stateOverrides }) => stateOverrides.length > 0) && !settings.stateOverrides) {
      throw invalidParams('State override is not allowed')
    }
    return atBlockForCall(context, block, (base) => {
      for (const { stateOverrides } of blocks) {
        assertOverridable(context, base, { overrides: stateOverrides })
      }
      const planned = planBlocks(base, blocks, settings.callGasCap)
      const outcomes = execution.simulate(base, planned, validation)
      const refused = outcomes.flat().find(({ valid }) => !valid)
      if (validation && refused?.outcome.status === 'failure') {
        throw new RpcError('executionFailed', refused.outcome.reason)
      }
      return planned.map((pretended, index) => formatSimulatedBlock(pretended, outcomes[index] ?? []))
    })
  },
})
