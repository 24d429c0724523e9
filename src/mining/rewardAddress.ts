import type { MiningSpec } from '../config/networkSpec.ts'
import { addressOfPrivateKey } from '../native/crypto.ts'
import { fromHex } from '../util/bytes.ts'
import { privateKeyOfSeed } from '../wallet/privateKey.ts'

/**
 * Account that is paid for blocks, 20 bytes: the address configured, else that of the key that the secret, or
 * else the network's seed, gives; null where there is none (consensus.md §9.4).
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
