import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { blockRef, LATEST } from '../params/blockSelector.ts'
import { optional } from '../params/param.ts'
import { simulation } from '../params/simulationParam.ts'
import { atBlockForCall } from '../select/resolveBlock.ts'
import { assertOverridable } from '../simulation/callRequest.ts'
import { planBlocks } from '../simulation/plannedBlocks.ts'
import { assertExecutable, simulatedBlocksAnswer } from '../simulation/simulatedBlocks.ts'

/**
 * Calls after one another over simulated blocks on top of a block (rpc.md §8.3; execution-apis,
 * eth_simulateV1). A call that could be in no block is an error of the whole request; with `validation` that is
 * every rule of a sent transaction, else what could never be executed.
 */
export const simulateV1 = defineMethod({
  name: 'eth_simulateV1',
  doc: 'Calls after one another over simulated blocks, each on the state that the one before left.',
  params: [simulation(), optional(blockRef({ decimal: true }), LATEST)],
  result: { type: 'array' },
  lane: 'evm',
  cost: 50,
  cache: 'none',
  reportsReverts: true,
  handler: (context, [{ blocks, validation, ...form }, block], { reverts }) => {
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
      assertExecutable(outcomes)
      return simulatedBlocksAnswer(context, planned, outcomes, { ...form, reverts })
    })
  },
})
