import { NativeError } from '../../native/errors.ts'
import type { Eventually } from '../context.ts'
import type { Forward, RpcResult } from '../json.ts'
import { answerBelow } from './answerBelow.ts'
import type { BelowFork } from './belowFork.ts'
import type { ForkRequest } from './forkRequest.ts'

/** Milliseconds between two tries of what waits for the network of a fork in a thread that must not. */
const TRY_EVERY = 5

/**
 * Runs a request on a fork: its network answers for what is below. The thread that has the sockets does not wait for
 * state in the native core: the read asks for it, and the method runs again when it may be there.
 */
export function runOnFork(below: BelowFork, request: ForkRequest): Eventually<RpcResult | Forward> {
  const run = () =>
    answerBelow(below, request) ?? request.method.run(request.context, request.values, request.preferences)
  try {
    const result = run()
    return result instanceof Promise
      ? result.catch((error: unknown) => again(below, request, run, error))
      : result
  } catch (error) {
    if (!isNotFetched(error)) throw error
    return again(below, request, run, error)
  }
}

async function again(
  below: BelowFork,
  { context }: ForkRequest,
  run: () => Eventually<RpcResult | Forward>,
  first: unknown,
): Promise<RpcResult | Forward> {
  const until = performance.now() + below.patience
  const { front } = context
  const caller =
    front === undefined ? null : { connection: front.connection, memory: front.memory, signal: front.signal }
  let error = first
  while (isNotFetched(error) && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, TRY_EVERY))
    // Others were answered meanwhile.
    if (front !== undefined && caller !== null) Object.assign(front, caller)
    context.refresh()
    try {
      return await run()
    } catch (thrown) {
      error = thrown
    }
  }
  throw error
}

function isNotFetched(error: unknown): boolean {
  return error instanceof NativeError && error.code === 'NotFetched'
}
