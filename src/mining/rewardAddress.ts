import type { MiningSpec } from '../config/networkSpec.ts'
import { addressOfPrivateKey } from '../native/crypto.ts'
import { fromHex } from '../util/bytes.ts'
import { privateKeyOfSeed } from '../wallet/privateKey.ts'

/**
 * Account that is paid for blocks, 20 bytes: the one configured, else that of the network's seed; null where
 * there is none (consensus.md §9.4).
 */
export function rewardAddress(
  configured: string | null,
  mining: Pick<MiningSpec, 'coinbaseSeed'>,
): Buffer | null {
  if (configured !== null) return fromHex(configured)
  return mining.coinbaseSeed === null ? null : addressOfPrivateKey(privateKeyOfSeed(mining.coinbaseSeed))
}
