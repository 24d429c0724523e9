import type { BlockReference } from '../chain/tables/blockKey.ts'
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
import { BATCH_MILLISECONDS, NOT_RUN, type PoolRequest } from './messages.ts'

/** The parts that a batch runs with. */
export interface BatchRunner {
  readonly context: NodeContext
  readonly methods: readonly MethodDefinition[]
  /** Most characters of one answer. */
  readonly maxAnswerBytes: number
  /** True when answers come with the head that they are given at. */
  readonly reportsHead: boolean
  readonly onUnexpected: UnexpectedErrorSink
}

/** A batch that was run. */
export interface RanBatch {
  readonly answers: readonly Answer[]
  /** The head that they were given at; null where nobody asks for it. */
  readonly block: BlockReference | null
}

/** The answer of a request that was not begun. */
const LEFT: Answer = { text: '', status: NOT_RUN }

/**
 * Runs requests one after the other on one snapshot; one answer each, whatever happens.
 * @param milliseconds gets the time that each of them took; given, it also has the batch end after a while, and
 *   what was not begun then has the status `NOT_RUN`
 */
export async function runBatch(
  runner: BatchRunner,
  requests: readonly PoolRequest[],
  milliseconds?: Float64Array,
): Promise<RanBatch> {
  const { context } = runner
  context.refresh()
  try {
    const block = runner.reportsHead ? headOf(context) : null
    const answers = new Array<Answer>(requests.length)
    const start = performance.now()
    let began = start
    for (let i = 0; i < requests.length; i++) {
      const request = requests[i]
      if (request === undefined) continue
      const answer = runRequest(runner, request)
      answers[i] = limitAnswer(runner, request.id, answer instanceof Promise ? await answer : answer)
      if (milliseconds === undefined) continue
      const ended = performance.now()
      milliseconds[i] = ended - began
      began = ended
      if (ended - start < BATCH_MILLISECONDS) continue
      answers.fill(LEFT, i + 1)
      break
    }
    return { answers, block }
  } finally {
    context.release()
  }
}

function headOf({ chain }: NodeContext): BlockReference {
  const { number, hash } = chain.head()
  return { number, hash }
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
  const { id, params, preferences } = request
  return executeRequest(context, method, id, params, runner.onUnexpected, preferences)
}

function limitAnswer({ maxAnswerBytes }: BatchRunner, id: string, answer: Answer): Answer {
  if (answer.unlimited === true || lengthOf(answer) <= maxAnswerBytes) return answer
  return errorAnswer(id, responseTooLarge(maxAnswerBytes))
}
