import type { Transaction } from '../chain/codec/transaction.ts'
import { BRIDGE } from '../execution/executableTransaction.ts'

/** Most bytes of data for which a cost is kept: transfers and calls of functions with few arguments. */
const MAX_DATA_BYTES = 255

/** Intrinsic gas of a transaction of a sender under the rules of one height (consensus.md §5.4). */
export type BasicCost = (transaction: Transaction, sender: Buffer) => bigint

/**
 * Costs of the core, asked for once for all transactions that must cost the same: those that do not go to the Bridge pay
 * for what they are and for their bytes, whoever sends them.
 * @param ask the core, at one height
 */
export function createBasicCosts(ask: BasicCost): BasicCost {
  const known = new Map<number, bigint>()
  return (transaction, sender) => {
    const key = keyOf(transaction)
    if (key === null) return ask(transaction, sender)
    const cost = known.get(key) ?? ask(transaction, sender)
    known.set(key, cost)
    return cost
  }
}

/** null where something else counts. */
function keyOf({ fields: { to, data }, isRemasc, isCreation }: Transaction): number | null {
  if (isRemasc || data.length > MAX_DATA_BYTES || BRIDGE.equals(to)) return null
  let zeros = 0
  for (const byte of data) if (byte === 0) zeros += 1
  return ((isCreation ? 1 : 0) * (MAX_DATA_BYTES + 1) + data.length) * (MAX_DATA_BYTES + 1) + zeros
}
