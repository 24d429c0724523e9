import { defineMethod } from '../defineMethod.ts'
import { quantity } from '../format/quantity.ts'
import type { FailedCall } from '../reports/executionReports.ts'

/** The last calls and estimates that failed, for the node's own page (decisions.md D59). */
export const getFailedCalls = defineMethod({
  name: 'evm_getFailedCalls',
  doc: "The last calls and estimates that failed, newest first, with their data and what they printed, for the node's own page.",
  params: [],
  result: { type: 'array' },
  lane: 'chain',
  cost: 5,
  cache: 'none',
  audience: 'dev',
  handler: ({ failedCalls }) => (failedCalls?.() ?? []).map(formatted),
})

function formatted({ block, value, gasLimit, gasUsed, ...call }: FailedCall) {
  return {
    ...call,
    block: quantity(block),
    value: quantity(value),
    gas: quantity(gasLimit),
    gasUsed: quantity(gasUsed),
  }
}
