import type { RpcError } from '../rpc/errors.ts'
import { type Caller, unlimitedCaller } from './access/caller.ts'

/** The front's knowledge of a request before its body is read. Valid until `admit` returns. */
export interface AdmissionRequest {
  /** Path without the query: the last segment is the API key. */
  readonly path: string
  /** Empty when there is none. */
  readonly origin: string
  /** Address of the sender, 4 or 16 bytes. */
  readonly address: ArrayBuffer
  /** The header `X-Forwarded-For`; empty when there is none. */
  readonly forwardedFor: string
}

/**
 * Decides who may ask what: the door for API keys, allowed methods, rates and quotas.
 * Every refusal is an error that the gateway turns into an answer.
 */
export interface Admission {
  /** The caller of a request, or why there is none. */
  admit(request: AdmissionRequest): Caller | RpcError
  /**
   * Charges a method to the caller; the reason when it may not call it, or not now.
   * @param method index of the method; behind the last one for what is no method
   */
  charge(caller: Caller, method: number): RpcError | null
  /**
   * Charges requests for one method together; false, and nothing is charged, where one of them may be refused: then each
   * is to be charged by itself.
   */
  chargeAll(caller: Caller, method: number, requests: number): boolean
  /** Reason why the caller may not open one more WebSocket; null when it may. */
  admitSocket(caller: Caller): RpcError | null
  /** True when an address, 4 or 16 bytes, is that of a proxy whose headers are believed. */
  isProxy(address: ArrayBuffer): boolean
}

const ANYBODY = unlimitedCaller('anybody')

/** Admission without keys and limits: everybody may call everything that is switched on. */
export const OPEN_ADMISSION: Admission = {
  admit: () => ANYBODY,
  charge: () => null,
  chargeAll: () => false,
  admitSocket: () => null,
  isProxy: () => false,
}
