import { encodeAbiParameters, type Hex, keccak256, toHex } from 'viem'

const TOTAL_SUPPLY_SLOT = 2n
const BALANCES_SLOT = 3n

/** Slot of the token's total supply. */
export const totalSupplySlot: Hex = toHex(TOTAL_SUPPLY_SLOT, { size: 32 })

/** Slot of an account's balance in the token. */
export function balanceSlot(owner: Hex): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [owner, BALANCES_SLOT]))
}
