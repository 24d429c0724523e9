import type { MiningSpec } from '../config/networkSpec.ts'
import { addressOfPrivateKey } from '../native/crypto.ts'
import { fromHex } from '../util/bytes.ts'
import { privateKeyOfSeed } from '../wallet/privateKey.ts'

/**
 * Address that receives the rewards of blocks, 20 bytes: the configured address, else that of the key derived
 * from the secret or from the network's seed; null where there is none (consensus.md §9.4).
 */
export function rewardAddress(
  address: string | null,
  mining: Pick<MiningSpec, 'coinbaseSeed'>,
  secret: string | null = null,
): Buffer | null {
  if (address !== null) return fromHex(address)
  const seed = secret ?? mining.coinbaseSeed
  return seed === null ? null : addressOfPrivateKey(privateKeyOfSeed(seed))
}
