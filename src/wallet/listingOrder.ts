const MIN_TABLE_SLOTS = 16
const FULL_QUARTERS = 3

/**
 * Stored accounts in the order in which the reference lists them, which clients may depend on: that of a hash
 * table over all accounts of the wallet (rpc.md §11, recorded `eth_accounts`).
 * @param all every account of the wallet, seed accounts included: their number determines the table's size
 */
export function inListingOrder(all: readonly Buffer[]): Buffer[] {
  let size = MIN_TABLE_SLOTS
  while (all.length * 4 > size * FULL_QUARTERS) size *= 2
  const slot = (address: Buffer) => {
    let hash = 1
    for (const byte of address) hash = (Math.imul(hash, 31) + ((byte << 24) >> 24)) | 0
    return (hash ^ (hash >>> 16)) & (size - 1)
  }
  return all
    .map((address) => ({ address, slot: slot(address) }))
    .sort((a, b) => a.slot - b.slot)
    .map(({ address }) => address)
}
