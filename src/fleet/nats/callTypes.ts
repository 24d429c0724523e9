import { CallRefusal, type CallRefusalData } from '../errors.ts'
import type { MemberId } from '../interface.ts'

/** Who calls, and until when it waits. */
export interface CallContext {
  readonly from: MemberId
  /** Aborted at the deadline of the caller. */
  readonly signal: AbortSignal
}

/**
 * Answers a call. What it throws with a `kind` and a message, as RPC errors have them, goes to the caller; anything
 * else is `internal` there, without its text.
 */
export type CallHandler = (payload: Buffer, context: CallContext) => Promise<Uint8Array>

export interface CallServiceOptions {
  /** Calls that run at the same time. */
  readonly concurrency: number
  /** Bytes of calls that may wait for their turn; 1 MiB unless given. */
  readonly queueBytes?: number
  /** Whether it also answers calls to any member. */
  readonly isShared?: boolean
}

const LONGEST_TEXT = 4096

/** What of an error goes to the caller. */
export function toRefusal(thrown: unknown): {
  readonly kind: string
  readonly message: string
  readonly data: CallRefusalData | undefined
} {
  if (!(thrown instanceof Error)) return new CallRefusal('internal', 'the call failed')
  const { kind, data } = thrown as Partial<CallRefusal>
  if (typeof kind !== 'string' || !/^[a-zA-Z]{1,64}$/.test(kind)) {
    return new CallRefusal('internal', 'the call failed')
  }
  return new CallRefusal(kind, thrown.message.slice(0, LONGEST_TEXT), boundedData(data))
}

function boundedData(data: CallRefusalData | undefined): CallRefusalData | undefined {
  // The payload of a revert is as long as its contract wants.
  return data !== undefined && JSON.stringify(data).length > 8 * LONGEST_TEXT ? undefined : data
}
