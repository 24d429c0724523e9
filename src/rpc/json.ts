/** A value that JSON.stringify writes as it stands. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/** JSON text made ahead of time: written as it stands. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What a handler returns. */
export type RpcResult = Json | RawJson

/** JSON text of a result. */
export function encodeResult(result: RpcResult): string {
  return result instanceof RawJson ? result.text : JSON.stringify(result)
}

/** JSON text of a successful answer; `id` is JSON text. */
export function successText(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

/** JSON text of a failed answer; `id` is JSON text. */
export function failureText(id: string, error: { code: number; message: string; data?: string }): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`
}
