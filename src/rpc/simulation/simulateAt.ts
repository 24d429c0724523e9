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
  const { reports } = context
  const isReported = (answer: string | CallFailure) =>
    reports !== undefined && (typeof answer !== 'string' || reports.isOfFailures !== true)
  // Most calls override nothing, and nobody is notified of them: the core has all that they need of the block.
  const isPlain = overrides === null && request.overrides.length === 0
  if (isPlain && (reports === undefined || reports.isOfFailures === true)) {
    const hash = findHash(context, block)
    const answer = hash === null ? null : context.execution.atKnown(kind, hash, request)
    if (answer !== null && !isReported(answer)) return finish(answer)
  }
  return atBlockForCall(context, block, (header: BlockHeader) => {
    assertOverridable(context, header, request)
    const asked = inOverriddenBlock(context, header, request, overrides)
    const answer = context.execution[kind](header, asked)
    if (isReported(answer)) reportCall(context, METHODS[kind], header, asked, answer)
    return finish(answer)
  })
}
