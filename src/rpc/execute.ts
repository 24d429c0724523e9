import { isOfUpstream, NativeError } from '../native/errors.ts'
import type { Eventually, NodeContext } from './context.ts'
import type { MethodDefinition } from './defineMethod.ts'
import { invalidParams, RpcError, statusOfError, toErrorObject } from './errors.ts'
import { UpstreamAnswerError } from './fork/forkSelectors.ts'
import { runOnFork } from './fork/runOnFork.ts'
import {
  ANSWER_HEAD,
  type ByteSource,
  encodeResult,
  Forward,
  failureText,
  type JsonText,
  PagedResult,
  RawBytes,
  RawElements,
  type RpcResult,
  successText,
  textOf,
} from './json.ts'
import { type Preferences, preferencesOf } from './preferences.ts'
import { firstBlockOfValues } from './select/history.ts'

/** A finished answer: its JSON text, and the HTTP status when it is the only one. */
export interface Answer {
  readonly text: string
  /** The end after the text, where a part of the answer was written as bytes. */
  readonly rest?: { readonly bytes: ByteSource; readonly end: string }
  readonly status: number
  /** The method bounds its answer by itself: the limit on the size of answers does not count. */
  readonly unlimited?: boolean
  /** The answer is still to be had: from this request. */
  readonly forward?: Forward
}

/**
 * Status of an answer that is the first or a middle page: its text is the parameter that gives the next
 * page, a line feed, and the elements of this one. It never leaves the gateway.
 */
export const PAGE_STATUS = 206

/** Length of an answer, in bytes where it is ASCII. */
export function lengthOf({ text, rest }: Answer): number {
  return rest === undefined ? text.length : text.length + rest.bytes.length + rest.end.length
}

/**
 * An answer in one piece.
 * @param buffer memory that it may take, where it is not kept
 */
export function bodyOf({ text, rest }: Answer, buffer?: Buffer): string | Uint8Array {
  if (rest === undefined) return text
  const start = Buffer.byteLength(text)
  const end = start + rest.bytes.length
  const length = end + rest.end.length
  const body =
    buffer !== undefined && length <= buffer.length ? buffer.subarray(0, length) : Buffer.allocUnsafe(length)
  body.write(text)
  rest.bytes.moveTo(body, start)
  body.write(rest.end, end)
  return body
}

/** Called with anything that is not an expected error, for the log. */
export type UnexpectedErrorSink = (method: string, error: unknown) => void

/**
 * Runs one request. Never throws: every failure becomes an answer.
 * @param id JSON text of the id
 * @param params empty when there are none
 * @param wanted how the caller wants its answer; only methods that say so show reverts in its form
 */
export function executeRequest(
  context: NodeContext,
  method: MethodDefinition,
  id: string,
  params: JsonText,
  onUnexpected: UnexpectedErrorSink,
  wanted: Preferences,
): Eventually<Answer> {
  // Answers of other methods are kept for callers of either form.
  const preferences = method.reportsReverts ? wanted : preferencesOf('reference', wanted.beyondHead)
  const fail = (error: unknown) => failure(context, id, method, error, onUnexpected, preferences)
  try {
    const values = readParams(params, method)
    const { belowFork } = context
    const result =
      belowFork === undefined
        ? method.run(context, values, preferences)
        : runOnFork(belowFork, { context, method, values, preferences })
    if (!(result instanceof Promise)) return success(id, result)
    return result.then((value) => success(id, value), fail)
  } catch (error) {
    return fail(error)
  }
}

/** The answer for an error that is known before a handler runs. */
export function errorAnswer(id: string, error: RpcError): Answer {
  return { text: `${ANSWER_HEAD}${id},"error":${error.text}}`, status: statusOfError(error.kind) }
}

function success(id: string, result: RpcResult | Forward): Answer {
  if (result instanceof Forward) return { text: '', status: 200, forward: result }
  if (result instanceof RawBytes) {
    return { text: `${ANSWER_HEAD}${id},"result":`, rest: { bytes: result, end: '}' }, status: 200 }
  }
  if (result instanceof RawElements) return elementsAnswer(id, result.bytes)
  if (result instanceof PagedResult) {
    const { bytes, next } = result
    return next === null
      ? { ...elementsAnswer(id, bytes), unlimited: true }
      : { text: `${next}\n`, rest: { bytes, end: '' }, status: PAGE_STATUS, unlimited: true }
  }
  return { text: successText(id, encodeResult(result)), status: 200 }
}

function elementsAnswer(id: string, bytes: ByteSource): Answer {
  return { text: `${ANSWER_HEAD}${id},"result":[`, rest: { bytes, end: ']}' }, status: 200 }
}

function failure(
  context: NodeContext,
  id: string,
  method: MethodDefinition,
  thrown: unknown,
  onUnexpected: UnexpectedErrorSink,
  { reverts }: Preferences,
): Answer {
  if (thrown instanceof RpcError) {
    // Parameters that are no JSON make the whole request unreadable: its id counts as unknown.
    const knownId = thrown.kind === 'parse' ? 'null' : id
    return { text: failureText(knownId, toErrorObject(thrown, reverts)), status: statusOfRun(thrown) }
  }
  if (thrown instanceof UpstreamAnswerError) {
    const { rpcCode: code, message, data } = thrown.refusal
    return {
      text: failureText(id, { code, message, ...(data === undefined ? {} : { data: data as never }) }),
      status: 200,
    }
  }
  if (isOfUpstream(thrown) || (thrown instanceof NativeError && thrown.code === 'NotFetched')) {
    return errorAnswer(id, new RpcError('upstreamFailed', thrown.message, { cause: thrown }))
  }
  if (thrown instanceof NativeError && thrown.code === 'Interrupted') {
    return errorAnswer(id, new RpcError('overLimit'))
  }
  if (thrown instanceof NativeError && thrown.code === 'MissingState') {
    const { firstState } = context.chain.history(true)
    // Calls find out late; only a node that began with a snapshot or prunes lacks states.
    if (firstState > 0) {
      const message = `pruned history unavailable: this node keeps states from block ${firstBlockOfValues(context)}`
      return errorAnswer(id, new RpcError('historyNotKept', message, { cause: thrown }))
    }
  }
  onUnexpected(method.name, thrown)
  return errorAnswer(id, new RpcError('internal'))
}

/** Only an unreadable request has its own HTTP status; a handler's refusal is an ordinary answer. */
function statusOfRun(error: RpcError): number {
  return error.kind === 'parse' || error.kind === 'limited' ? statusOfError(error.kind) : 200
}

/**
 * Positional parameters of their JSON text. Null and the empty object are none (rpc.md §1.3).
 * @throws RpcError
 */
function readParams(text: JsonText, { name, maxParamBytes }: MethodDefinition): readonly unknown[] {
  if (text.length === 0) return []
  if (text.length > maxParamBytes) {
    throw invalidParams(`${name} takes at most ${maxParamBytes} bytes of parameters, not ${text.length}`)
  }
  let value: unknown
  try {
    value = JSON.parse(textOf(text))
  } catch (error) {
    throw new RpcError('parse', undefined, { cause: error })
  }
  if (Array.isArray(value)) return value
  if (value === null) return []
  if (typeof value === 'object' && Object.keys(value).length === 0) return []
  throw new RpcError('invalidParams')
}
