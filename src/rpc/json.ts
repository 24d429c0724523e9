import { asBuffer } from '../util/bytes.ts'
import type { RpcErrorObject } from './errors.ts'

/** A value that JSON.stringify writes as it stands. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/** JSON text, as UTF-8 where it is a part of a body. */
export type JsonText = string | Uint8Array

/** JSON text as a string. */
export function textOf(text: JsonText): string {
  return typeof text === 'string' ? text : asBuffer(text).toString('utf8')
}

/** JSON text made ahead of time: written as it stands. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Bytes of an answer that are moved into it once, after which they are gone. */
export interface ByteSource {
  readonly length: number
  moveTo(target: Uint8Array, at: number): void
}

/** JSON text made ahead of time, as bytes: written as it stands. */
export class RawBytes implements ByteSource {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get length(): number {
    return this.#bytes.length
  }

  moveTo(target: Uint8Array, at: number): void {
    target.set(this.#bytes, at)
  }
}

/** An array whose elements were written ahead of time. */
export class RawElements {
  /** JSON texts of elements with commas between, without brackets. */
  readonly bytes: ByteSource

  constructor(bytes: ByteSource) {
    this.bytes = bytes
  }
}

/**
 * A part of an array that may be longer than an answer in memory should be. The gateway asks for the parts
 * one after the other, each as a request of its own.
 */
export class PagedResult {
  /** JSON texts of elements with commas between, without brackets. */
  readonly bytes: ByteSource
  /** Parameter (JSON text) of `internal_logsPage` that gives what follows; null after the last part. */
  readonly next: string | null

  constructor(bytes: ByteSource, next: string | null) {
    this.bytes = bytes
    this.next = next
  }
}

/** A request that workers answer in place of the one that came to the front thread. */
export class Forward {
  /** Name of a method, those of the gateway itself included. */
  readonly method: string
  /** JSON text. */
  readonly params: string
  /** Called when the answer is an error or nobody waits for it any more. */
  readonly onFailure: (() => void) | undefined

  constructor(method: string, params: string, onFailure?: () => void) {
    this.method = method
    this.params = params
    this.onFailure = onFailure
  }
}

/** Leaves the request to the workers as it came. */
export const DELEGATE_TO_WORKER = new Forward('', '')

/** The result of a handler. */
export type RpcResult = Json | RawJson | RawBytes | RawElements | PagedResult

/** JSON text of a result that is not written as bytes. */
export function encodeResult(result: Json | RawJson): string {
  return result instanceof RawJson ? result.text : JSON.stringify(result)
}

/** Beginning of the text of an answer, up to the id. */
export const ANSWER_HEAD = '{"jsonrpc":"2.0","id":'

/** JSON text of a successful answer; `id` is JSON text. */
export function successText(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

/** JSON text of a failed answer; `id` is JSON text. */
export function failureText(id: string, error: RpcErrorObject): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`
}
