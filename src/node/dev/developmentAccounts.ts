import type { NetworkSpec } from '../../config/networkSpec.ts'
import { addressOfPrivateKey } from '../../native/crypto.ts'
import { fromHex, toHex } from '../../util/bytes.ts'
import { privateKeyOfSeed } from '../../wallet/privateKey.ts'

/** An account that a development network gives to its users. */
export interface DevelopmentAccount {
  readonly address: Buffer
  /** null when nobody knows it. */
  readonly privateKey: Buffer | null
}

/**
 * The accounts that genesis funds, contracts left out, with the keys of those that belong to a wallet seed
 * (consensus.md §1.4): each key is checked against the address.
 */
export function developmentAccounts(spec: NetworkSpec): DevelopmentAccount[] {
  const keys = new Map(
    spec.mining.walletSeeds.map((seed) => {
      const privateKey = privateKeyOfSeed(seed)
      return [toHex(addressOfPrivateKey(privateKey)), privateKey]
    }),
  )
  return spec.genesis.accounts
    .filter(({ address, balance }) => balance > 0n && !isContract(address))
    .map(({ address }) => ({ address: fromHex(address), privateKey: keys.get(address) ?? null }))
}

/** System contracts have the small addresses. */
function isContract(address: string): boolean {
  return BigInt(address) < 1n << 32n
}
