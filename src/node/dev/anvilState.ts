import { invalidParams, RpcError } from '../../rpc/errors.ts'
import { boundedNumber } from '../../rpc/params/boundedNumber.ts'
import { parseAddress, parseData } from '../../rpc/params/hex.ts'
import { MAX_BLOCKS } from '../../rpc/params/mineTarget.ts'
import { isGiven, isJsonObject } from '../../rpc/params/param.ts'
import { wideNumber } from '../../rpc/params/wideNumber.ts'

/** All of an account, as it is to be. */
export interface AccountState {
  /** 20 bytes. */
  readonly address: Buffer
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  /** Empty for none. */
  readonly code: Buffer
  readonly cells: readonly { readonly slot: bigint; readonly value: bigint }[]
}

/** The parts of a dump of anvil that are read: the state at its head, and the head's number and time. */
export interface AnvilState {
  readonly kind: 'anvil'
  readonly number: number
  /** Seconds since 1970; null where it names none. */
  readonly timestamp: number | null
  readonly accounts: readonly AccountState[]
}

const METHOD = 'anvil_loadState'
const NUMBER = boundedNumber('number', MAX_BLOCKS)
const TIMESTAMP = boundedNumber('timestamp', Number.MAX_SAFE_INTEGER)
const NONCE = wideNumber('nonce', 64)
const WORD = wideNumber('word', 256)

/**
 * A state as anvil dumps it, JSON text (`SerializableState`). Its blocks, transactions and older states are not read.
 * @throws RpcError -32602 for anything else, and for a chain with too many blocks
 */
export function readAnvilState(text: Buffer): AnvilState {
  let value: unknown
  try {
    value = JSON.parse(text.toString('utf8'))
  } catch (error) {
    throw invalidParams('Invalid state: no JSON', { cause: error })
  }
  const { accounts, block, best_block_number: best } = isJsonObject(value) ? value : {}
  if (!isJsonObject(accounts)) throw invalidParams('Invalid state: it has no accounts')
  const { number, timestamp } = isJsonObject(block) ? block : {}
  const height = best ?? number
  return {
    kind: 'anvil',
    number: isGiven(height) ? NUMBER.parse(height, METHOD) : 0,
    timestamp: isGiven(timestamp) ? TIMESTAMP.parse(timestamp, METHOD) : null,
    accounts: Object.entries(accounts).map(([address, account]) => readAccount(address, account)),
  }
}

function readAccount(address: string, account: unknown): AccountState {
  if (!isJsonObject(account)) throw invalidParams(`Invalid state: ${address} is no account`)
  const { nonce, balance, code, storage } = account
  try {
    return {
      address: parseAddress(address),
      nonce: isGiven(nonce) ? NONCE.parse(nonce, METHOD) : 0n,
      balance: isGiven(balance) ? WORD.parse(balance, METHOD) : 0n,
      code: typeof code === 'string' ? parseData(code) : Buffer.alloc(0),
      cells: Object.entries(isJsonObject(storage) ? storage : {}).map(([slot, cell]) => ({
        slot: WORD.parse(slot, METHOD),
        value: WORD.parse(cell, METHOD),
      })),
    }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    throw invalidParams(`Invalid state: account ${address}: ${error.message}`, { cause: error })
  }
}
