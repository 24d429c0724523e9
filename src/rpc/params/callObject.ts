import { invalidParams } from '../errors.ts'
import { parseAddress, parseData } from './hex.ts'
import { parseUnsigned } from './number.ts'
import { isGiven, isJsonObject, type JsonSchema, nodeText, type Param } from './param.ts'

/** The fields of a call object that are read; absent ones are null. Numbers are unsigned. */
export interface CallObject {
  readonly from: Buffer | null
  /** null is a contract creation. */
  readonly to: Buffer | null
  readonly gas: bigint | null
  readonly gasLimit: bigint | null
  readonly gasPrice: bigint | null
  readonly value: bigint | null
  readonly nonce: bigint | null
  readonly chainId: bigint | null
  /** `input` before `data`. */
  readonly data: Buffer | null
}

/** Schemas of the fields of a call object. */
export const CALL_PROPERTIES: Readonly<Record<string, JsonSchema>> = {
  from: { type: 'string' },
  to: { type: 'string' },
  gas: { type: 'string' },
  gasLimit: { type: 'string' },
  gasPrice: { type: 'string' },
  value: { type: 'string' },
  data: { type: 'string' },
  input: { type: 'string' },
  nonce: { type: 'string' },
  chainId: { type: 'string' },
}

/**
 * A call object: unknown fields are ignored, null is absent, text in its place is empty (rpc.md §2). For a number the
 * empty text and a structure are absent, too (decisions.md D25).
 */
export function callObject(name = 'call'): Param<CallObject> {
  return {
    name,
    schema: { type: 'object', properties: CALL_PROPERTIES },
    optional: false,
    parse: (value) => parseCallObject(value, name, (text) => (text === '' ? null : parseUnsigned(text))),
  }
}

/**
 * Reads the fields of a call object.
 * @param name what errors call it
 * @param parseNumber reads its numbers
 * @throws RpcError kind `invalidParams`
 */
export function parseCallObject(
  object: unknown,
  name: string,
  parseNumber: (text: string) => bigint | null,
): CallObject {
  if (object === null) throw invalidParams(`${name} is null`)
  const fields = isJsonObject(object) ? object : {}
  const from = read(fields, 'from', parseAddress)
  const to = read(fields, 'to', parseAddress)
  const gas = read(fields, 'gas', parseNumber)
  const gasPrice = read(fields, 'gasPrice', parseNumber)
  const gasLimit = read(fields, 'gasLimit', parseNumber)
  const nonce = read(fields, 'nonce', parseNumber)
  const chainId = read(fields, 'chainId', parseNumber)
  const value = read(fields, 'value', parseNumber)
  const data = read(fields, 'data', parseData)
  const input = read(fields, 'input', parseData)
  return { from, to, gas, gasLimit, gasPrice, value, nonce, chainId, data: input ?? data }
}

function read<T>(fields: Record<string, unknown>, name: string, parse: (text: string) => T | null): T | null {
  const value = fields[name]
  return isGiven(value) ? parse(nodeText(value)) : null
}
