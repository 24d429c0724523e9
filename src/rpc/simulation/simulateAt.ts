import type { BlockHeader } from '../../chain/codec/header.ts'
import type { CallFailure, CallRequest } from '../../execution/callTypes.ts'
import type { Eventually, NodeContext } from '../context.ts'
import type { BlockOverrides } from '../params/blockOverrides.ts'
import type { BlockSelector } from '../params/blockSelector.ts'
import { reportCall } from '../reports/executedCall.ts'
import { atBlockForCall } from '../select/resolveBlock.ts'
import { assertOverridable } from './callRequest.ts'
import { inOverriddenBlock } from './overriddenBlock.ts'

/** The methods as reports name them. */
const METHODS = { output: 'eth_call', estimate: 'eth_estimateGas' } as const

/**
 * Runs a simulation at a block: its result as hex text.
 * @throws RpcError for an unknown block, an invalid override, or the error that `fail` makes of a failed call
 */
export function simulateAt(
  context: NodeContext,
  kind: 'output' | 'estimate',
  block: BlockSelector,
  request: CallRequest,
  overrides: BlockOverrides | null,
  fail: (failure: CallFailure) => Error,
): Eventually<string> {
  return atBlockForCall(context, block, (header: BlockHeader) => {
    assertOverridable(context, header, request)
    const asked = inOverriddenBlock(context, header, request, overrides)
    const answer = context.execution[kind](header, asked)
    if (context.reports !== undefined) reportCall(context, METHODS[kind], header, asked, answer)
    if (typeof answer === 'string') return answer
    throw fail(answer)
  })
}
