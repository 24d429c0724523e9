import type { BlockHeader } from '../../chain/codec/header.ts'
import type { CallFailure, CallRequest } from '../../execution/callTypes.ts'
import type { Eventually, NodeContext } from '../context.ts'
import type { BlockOverrides } from '../params/blockOverrides.ts'
import type { BlockSelector } from '../params/blockSelector.ts'
import { reportCall } from '../reports/executedCall.ts'
import { atBlockForCall, findHash } from '../select/resolveBlock.ts'
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
  const finish = (answer: string | CallFailure): string => {
    if (typeof answer === 'string') return answer
    throw fail(answer)
  }
  // Most calls override nothing, and nobody is notified of them: the core has all that they need of the block.
  if (overrides === null && request.overrides.length === 0 && context.reports === undefined) {
    const hash = findHash(context, block)
    const answer = hash === null ? null : context.execution.atKnown(kind, hash, request)
    if (answer !== null) return finish(answer)
  }
  return atBlockForCall(context, block, (header: BlockHeader) => {
    assertOverridable(context, header, request)
    const asked = inOverriddenBlock(context, header, request, overrides)
    const answer = context.execution[kind](header, asked)
    if (context.reports !== undefined) reportCall(context, METHODS[kind], header, asked, answer)
    return finish(answer)
  })
}
