import type { AccountOverride } from '../../execution/callTypes.ts'
import { invalidParams, type RpcError } from '../errors.ts'
import { lenientHex, parseAddress } from './hex.ts'
import { isGiven, isJsonObject, type Param } from './param.ts'

const MAX_WORD_BYTES = 32
/** Nonces have eight bytes (consensus.md §9.1). */
const MAX_NONCE = 0xffff_ffff_ffff_ffffn
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/

/** The third parameter of eth_call: address → override (rpc.md §3.5). */
export function stateOverrides(name = 'overrides'): Param<readonly AccountOverride[]> {
  return {
    name,
    schema: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          balance: { type: 'string' },
          nonce: { type: 'string' },
          code: { type: 'string' },
          state: { type: 'object' },
          stateDiff: { type: 'object' },
          movePrecompileToAddress: { type: 'string' },
        },
      },
    },
    optional: false,
    parse: (value) => {
      if (!isJsonObject(value)) throw invalidParams(`Invalid ${name}: object expected.`)
      return Object.entries(value)
        .filter(([, fields]) => isGiven(fields))
        .map(([address, fields]) => parseAccount(parseAddress(address), fields))
    },
  }
}

function parseAccount(address: Buffer, fields: unknown): AccountOverride {
  if (!isJsonObject(fields)) throw invalidParams('Invalid override: object expected.')
  const { balance, nonce, code, state, stateDiff, movePrecompileToAddress } = fields
  if (isGiven(movePrecompileToAddress)) {
    throw invalidParams('movePrecompileToAddress is not supported')
  }
  if (isGiven(state) && isGiven(stateDiff)) {
    throw invalidParams('state and stateDiff cannot be set at the same time')
  }
  return {
    address,
    ...(isGiven(balance) && { balance: parseQuantity('balance', balance) }),
    ...(isGiven(nonce) && { nonce: parseNonce(nonce) }),
    ...(isGiven(code) && { code: parseBytes('code', code) }),
    ...(isGiven(state) && { state: parseCells('state', state) }),
    ...(isGiven(stateDiff) && { stateDiff: parseCells('stateDiff', stateDiff) }),
  }
}

function parseNonce(value: unknown): bigint {
  const nonce = parseQuantity('nonce', value)
  if (nonce > MAX_NONCE) throw malformed('nonce', value)
  return nonce
}

function parseQuantity(field: string, value: unknown): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw malformed(field, value)
  return BigInt(value)
}

function parseBytes(field: string, value: unknown): Buffer {
  const bytes = typeof value === 'string' ? lenientHex(value) : null
  if (bytes === null) throw malformed(field, value)
  return bytes
}

function parseCells(field: string, value: unknown): Map<bigint, Buffer> {
  if (!isJsonObject(value)) throw malformed(field, value)
  const cells = new Map<bigint, Buffer>()
  for (const [slot, content] of Object.entries(value)) {
    const key = parseBytes(field, slot)
    const bytes = parseBytes(field, content)
    if (key.length > MAX_WORD_BYTES || bytes.length > MAX_WORD_BYTES) throw malformed(field, content)
    cells.set(key.length === 0 ? 0n : BigInt(`0x${key.toString('hex')}`), bytes)
  }
  return cells
}

function malformed(field: string, value: unknown): RpcError {
  return invalidParams(
    `Invalid override ${field}: ${JSON.stringify(value)?.slice(0, MAX_WORD_BYTES * 2 + 4)}`,
  )
}
