import type { MethodDefinition } from '../rpc/defineMethod.ts'
import type { RpcError } from '../rpc/errors.ts'

/** Who a connection or request belongs to. */
export interface Caller {
  /** Name for logs and metrics; never the key itself. */
  readonly name: string
}

/** What the front knows about a request before its body is read. Valid until `admit` returns. */
export interface AdmissionRequest {
  /** Path without the query: the last segment is the API key. */
  readonly path: string
  /** Empty when there is none. */
  readonly origin: string
}

/**
 * Decides who may ask what: the door for API keys, allowed methods, rates and quotas.
 * Every refusal is an error that the gateway turns into an answer.
 */
export interface Admission {
  /** The caller of a request, or why there is none. */
  admit(request: AdmissionRequest): Caller | RpcError
  /** Charges a method to the caller; the reason when it may not call it, or not now. */
  charge(caller: Caller, method: MethodDefinition): RpcError | null
}

const ANYBODY: Caller = { name: 'anybody' }

/** Admission without keys: everybody may call everything that is switched on. */
export const OPEN_ADMISSION: Admission = {
  admit: () => ANYBODY,
  charge: () => null,
}
