import { invalidParams } from '../errors.ts'
import { parseAddress, parseData } from './hex.ts'
import { parseUnsigned } from './number.ts'
import { isJsonObject, nodeText, type Param } from './param.ts'

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

/** A call object: unknown fields are ignored, null is absent, text in its place is empty (rpc.md §2). */
export function callObject(name = 'call'): Param<CallObject> {
  return {
    name,
    schema: {
      type: 'object',
      properties: {
        from: { type: 'string' },
        to: { type: 'string' },
        gas: { type: 'string' },
        gasPrice: { type: 'string' },
        value: { type: 'string' },
        data: { type: 'string' },
        input: { type: 'string' },
        nonce: { type: 'string' },
      },
    },
    optional: false,
    parse: (value) => {
      if (value === null) throw invalidParams(`${name} is null`)
      return parseCallObject(isJsonObject(value) ? value : {})
    },
  }
}

function parseCallObject(fields: Record<string, unknown>): CallObject {
  const from = read(fields, 'from', parseAddress)
  const to = read(fields, 'to', parseAddress)
  const gas = read(fields, 'gas', parseUnsigned)
  const gasPrice = read(fields, 'gasPrice', parseUnsigned)
  const gasLimit = read(fields, 'gasLimit', parseUnsigned)
  const nonce = read(fields, 'nonce', parseUnsigned)
  const chainId = read(fields, 'chainId', parseUnsigned)
  const value = read(fields, 'value', parseUnsigned)
  const data = read(fields, 'data', parseData)
  const input = read(fields, 'input', parseData)
  return { from, to, gas, gasLimit, gasPrice, value, nonce, chainId, data: input ?? data }
}

function read<T>(fields: Record<string, unknown>, name: string, parse: (text: string) => T): T | null {
  const value = fields[name]
  return value === undefined || value === null ? null : parse(nodeText(value))
}
