import { RlpError } from './rlpReader.ts'

/** Kind of data that was being decoded when it failed. */
export type CodecErrorCode =
  | 'HEADER_SIZE'
  | 'HEADER_FIELD'
  | 'HEADER_EXTENSION'
  | 'HEADER_MERGED_MINING'
  | 'TRANSACTION_SIZE'
  | 'TRANSACTION_FIELD'
  | 'TRANSACTION_SIGNATURE'
  | 'BLOCK_SIZE'
  | 'BLOCK_TRANSACTIONS_ROOT'
  | 'RECEIPT_SIZE'

/** Bytes of a header, block, transaction or receipt that the network refuses to decode. */
export class CodecError extends Error {
  readonly code: CodecErrorCode
  readonly expected: string
  readonly found: string
  override readonly name = 'CodecError'

  constructor(code: CodecErrorCode, expected: string, found: string) {
    super(`${code}: expected ${expected}, found ${found}`)
    this.code = code
    this.expected = expected
    this.found = found
  }
}

/** True when bytes that do not decode are the reason of a failure. */
export function isUndecodable(thrown: unknown): boolean {
  return thrown instanceof RlpError || thrown instanceof CodecError
}
