import type { BlockHeader } from '../../chain/codec/header.ts'
import type { CallFailure, CallRequest } from '../../execution/localExecution.ts'
import type { Eventually, NodeContext } from '../context.ts'
import { AS_IT_CAME, type Forward } from '../json.ts'
import { assertOverridable } from './callRequest.ts'
import type { BlockSelector } from './params/blockSelector.ts'
import { atBlockForCall } from './resolveBlock.ts'

/**
 * Runs a simulation at a block: its result as hex text. In the front thread what is not short, or not of the newest
 * block, whose state is in memory, is left to the workers.
 * @throws RpcError for a block that is not there, an override that cannot be, or what `fail` makes of a failure
 */
export function simulateAt(
  context: NodeContext,
  kind: 'output' | 'estimate',
  block: BlockSelector,
  request: CallRequest,
  fail: (failure: CallFailure) => Error,
): Eventually<string | Forward> {
  const { execution, front } = context
  const finish = (answer: string | CallFailure): string => {
    if (typeof answer === 'string') return answer
    throw fail(answer)
  }
  if (front !== undefined) {
    if (block.kind !== 'tag' || block.tag !== 'latest' || request.overrides.length > 0) return AS_IT_CAME
    const answer = execution.brief[kind](context.chain.head(), request)
    return answer === null ? AS_IT_CAME : finish(answer)
  }
  return atBlockForCall(context, block, (header: BlockHeader) => {
    assertOverridable(context, header, request)
    return finish(execution[kind](header, request))
  })
}
