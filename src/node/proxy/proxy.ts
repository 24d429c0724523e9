import type { MessagePort } from 'node:worker_threads'
import { isOfUpstream } from '../../native/errors.ts'
import { type ErrorData, RpcError, type RpcErrorKind } from '../../rpc/errors.ts'
import { fromMessage, toMessage } from './plainValue.ts'
import { createOutbox } from './portOutbox.ts'

/**
 * An object of one thread as others have it. An interface whose methods answer with promises is all that is declared of
 * it: {@link serve} gives an object of that kind to a port, {@link createProxy} makes the same of the port's other end.
 * Parameters and results are plain values (`plainValue.ts`): byte arrays arrive as Buffers, signals as `CommandSignal`.
 */
export type RemoteService<S> = { readonly [K in keyof S]: (...args: never[]) => Promise<unknown> }

interface Call {
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}

/** The messages of the thread of an object: answers to calls, and events in between. */
type Notice =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: string }
  | { readonly id: number; readonly refusal: Refusal }
  | { readonly event: unknown }

/** An {@link RpcError} as it crosses threads. */
interface Refusal {
  readonly kind: RpcErrorKind
  readonly message: string
  readonly data: ErrorData | undefined
}

/** The thread of an object could not do what was asked of it. */
export class ChainLinkError extends Error {
  override readonly name = 'ChainLinkError'
  readonly code = 'CHAIN_LINK'
}

/**
 * Answers the calls that come through a port. To be called once per port; the other end may serve an object over the
 * same port, which {@link createProxy} then has here.
 * @returns sends an event: in order among the answers, before that of a call that led to it
 */
export function serve<S extends RemoteService<S>, E = never>(
  port: MessagePort,
  service: S,
): (event: E) => void {
  // Answers that are ready together, as those of a group of sends are, go in one message.
  const send = createOutbox<Notice>(port, queueMicrotask)
  port.on('message', (calls: readonly (Call | Notice)[]) => {
    for (const call of calls) if ('method' in call) void answer(service, call).then(send)
  })
  // An event waits for the answer that mostly follows it in the same turn: each message wakes the other thread.
  return (event) => send({ event: toMessage(event) }, setImmediate)
}

/** The error that the caller of a service gets for one that its method threw. */
export function callFailure(thrown: unknown): RpcError | ChainLinkError {
  if (thrown instanceof RpcError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  // The network of a fork is nothing of this program: its words are for whoever asked.
  return isOfUpstream(thrown) ? new RpcError('upstreamFailed', message) : new ChainLinkError(message)
}

async function answer<S extends RemoteService<S>>(service: S, { id, method, args }: Call): Promise<Notice> {
  try {
    const run = service[method as keyof S].bind(service)
    return { id, value: toMessage(await run(...(fromMessage(args) as never[]))) }
  } catch (error) {
    const failure = callFailure(error)
    if (failure instanceof ChainLinkError) return { id, failure: failure.message }
    const { kind, message, data } = failure
    return { id, refusal: { kind, message, data } }
  }
}

/**
 * The object that the other end of a port serves. Its refusals are RpcErrors as they were thrown there, other failures
 * and the end of the port are ChainLinkErrors.
 * @param onEvent gets the events in their order among the answers: whoever waits for an answer goes on after it
 */
export function createProxy<S extends RemoteService<S>, E = never>(
  port: MessagePort,
  onEvent: (event: E) => void = () => undefined,
): S {
  const ask = createAsker(port, (event) => onEvent(event as E))
  const methods = new Map<string, (...args: unknown[]) => Promise<unknown>>()
  const methodOf = (name: string) => {
    const known = methods.get(name)
    if (known !== undefined) return known
    const method = (...args: unknown[]) => ask(name, args)
    methods.set(name, method)
    return method
  }
  return new Proxy({} as S, {
    // Whoever awaits it looks whether it is a promise.
    get: (_target, name) => (typeof name === 'symbol' || name === 'then' ? undefined : methodOf(name)),
  })
}

function createAsker(
  port: MessagePort,
  onEvent: (event: unknown) => void,
): (method: string, args: readonly unknown[]) => Promise<unknown> {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  let lastId = 0
  let isClosed = false
  const settle = (notice: Notice | Call) => {
    if ('method' in notice) return
    if ('event' in notice) {
      onEvent(fromMessage(notice.event))
      return
    }
    const asked = waiting.get(notice.id)
    waiting.delete(notice.id)
    if ('failure' in notice) asked?.reject(new ChainLinkError(notice.failure))
    else if ('refusal' in notice) asked?.reject(toRpcError(notice.refusal))
    else asked?.resolve(fromMessage(notice.value))
  }
  port.on('message', (notices: readonly (Notice | Call)[]) => notices.forEach(settle))
  // Calls of one turn of the loop go in one message.
  const send = createOutbox<Call>(port, setImmediate)
  // Nobody answers any more: whoever waits must not wait for good.
  port.on('close', () => {
    isClosed = true
    for (const { reject } of waiting.values()) reject(ended())
    waiting.clear()
  })
  return (method, args) =>
    new Promise((resolve, reject) => {
      if (isClosed) throw ended()
      lastId += 1
      const call = { id: lastId, method, args: toMessage(args) as unknown[] }
      waiting.set(lastId, { resolve, reject })
      send(call)
    })
}

function ended(): ChainLinkError {
  return new ChainLinkError('the chain thread has ended')
}

function toRpcError({ kind, message, data }: Refusal): RpcError {
  return new RpcError(kind, message, data === undefined ? {} : { data })
}
