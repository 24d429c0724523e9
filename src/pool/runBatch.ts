import type { NodeContext } from '../rpc/context.ts'
import type { MethodDefinition } from '../rpc/defineMethod.ts'
import { RpcError, responseTooLarge } from '../rpc/errors.ts'
import {
  type Answer,
  errorAnswer,
  executeRequest,
  lengthOf,
  type UnexpectedErrorSink,
} from '../rpc/execute.ts'
import type { PoolRequest } from './messages.ts'

/** What a batch runs with. */
export interface BatchRunner {
  readonly context: NodeContext
  readonly methods: readonly MethodDefinition[]
  /** Most characters of one answer. */
  readonly maxAnswerBytes: number
  readonly onUnexpected: UnexpectedErrorSink
}

/** Runs requests one after the other on one snapshot; one answer each, whatever happens. */
export async function runBatch(runner: BatchRunner, requests: readonly PoolRequest[]): Promise<Answer[]> {
  const { context } = runner
  context.refresh()
  try {
    const answers = new Array<Answer>(requests.length)
    for (let i = 0; i < requests.length; i++) {
      const request = requests[i]
      if (request === undefined) continue
      const answer = runRequest(runner, request)
      answers[i] = limitAnswer(runner, request.id, answer instanceof Promise ? await answer : answer)
    }
    return answers
  } finally {
    context.release()
  }
}

function runRequest(runner: BatchRunner, request: PoolRequest): Answer | Promise<Answer> {
  const { context, methods } = runner
  context.interrupt.slot = request.slot
  // Cancelled or timed out while it waited: nobody reads the answer any more.
  if (Atomics.load(context.interrupt.flags, request.slot) !== 0) {
    return errorAnswer(request.id, new RpcError('overLimit'))
  }
  const method = methods[request.method]
  if (method === undefined) return errorAnswer(request.id, new RpcError('internal'))
  return executeRequest(context, method, request.id, request.params, runner.onUnexpected)
}

function limitAnswer({ maxAnswerBytes }: BatchRunner, id: string, answer: Answer): Answer {
  if (answer.unlimited === true || lengthOf(answer) <= maxAnswerBytes) return answer
  return errorAnswer(id, responseTooLarge(maxAnswerBytes))
}
