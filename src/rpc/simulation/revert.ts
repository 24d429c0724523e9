import { toHex } from '../../util/bytes.ts'
import { RpcError } from '../errors.ts'

const PREFIX = 'VM Exception while processing transaction: '
/** Code and text of geth (rpc.md §4.1). */
const GETH_CODE = 3
const GETH_TEXT = 'execution reverted'
/** Selector of Error(string). */
const ERROR_SELECTOR = 0x08c379a0
const HEAD_BYTES = 68

/** The error of a reverted simulation: reason text and whole payload, in either form (rpc.md §4.1). */
export function revertError(output: Buffer): RpcError {
  const reason = revertReason(output)
  const text = reason === null ? 'transaction reverted' : `revert ${reason}`
  const data = toHex(output)
  const message = reason === null ? GETH_TEXT : `${GETH_TEXT}: ${reason}`
  // Empty data is present, too: Hardhat's matchers recognise a revert without a reason by it.
  return new RpcError('vmException', PREFIX + text, { data, inGeth: { code: GETH_CODE, message, data } })
}

/** The error of a simulation that failed in another way; without data (decisions.md D31). */
export function failureError(reason: string): RpcError {
  return new RpcError('vmException', PREFIX + reason)
}

/** Text of an Error(string) payload; null for any other. */
export function revertReason(output: Buffer): string | null {
  if (output.length < HEAD_BYTES || output.readUInt32BE(0) !== ERROR_SELECTOR) return null
  const offset = readSize(output, 4)
  if (offset === null) return null
  const length = readSize(output, 4 + offset)
  if (length === null) return null
  const start = 4 + offset + 32
  return start + length > output.length ? null : output.toString('utf8', start, start + length)
}

/** A word that can be a memory offset; null when it is missing or too large. */
function readSize(bytes: Buffer, position: number): number | null {
  if (position + 32 > bytes.length) return null
  for (let i = position; i < position + 28; i++) if (bytes[i] !== 0) return null
  return bytes.readUInt32BE(position + 28)
}
