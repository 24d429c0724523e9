import type { Hex } from 'viem'
import { keccak256 } from '../../src/native/crypto.ts'

/** Slot of the mapping `balanceOf` in the token. */
const BALANCES_SLOT = '3'.padStart(64, '0')
/** Selector of `balanceOf(address)`. */
const BALANCE_OF = '0x70a08231'
/** Selector of `transfer(address,uint256)`. */
const TRANSFER = '0xa9059cbb'
const WORD_DIGITS = 64

/** Slot of an account's balance in the token. */
export function balanceSlotOf(account: Hex): Hex {
  const preimage = Buffer.from(`${wordOf(account)}${BALANCES_SLOT}`, 'hex')
  return `0x${keccak256(preimage).toString('hex')}`
}

/** Call data of `balanceOf`. */
export function encodeBalanceOf(account: Hex): Hex {
  return `${BALANCE_OF}${wordOf(account)}`
}

/** The account that the contract Spread gives something to under a number. */
export function accountOf(number: number): Hex {
  const preimage = Buffer.from(number.toString(16).padStart(WORD_DIGITS, '0'), 'hex')
  return `0x${keccak256(preimage).toString('hex').slice(24)}`
}

function wordOf(account: Hex): string {
  return account.slice(2).padStart(WORD_DIGITS, '0')
}

/** Call data of a token transfer to the account of a number. */
export function encodeTransfer(to: number, value: bigint): Hex {
  return `${TRANSFER}${wordOf(accountOf(to))}${value.toString(16).padStart(WORD_DIGITS, '0')}`
}
