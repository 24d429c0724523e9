import { join } from 'node:path'
import type { MiningSpec } from '../config/networkSpec.ts'
import { networkByName } from '../config/networks/byName.ts'
import type { Config } from '../config/schema.ts'
import { KeyStore, type SkippedFileSink } from './keyStore.ts'
import { LocalWallet } from './localWallet.ts'
import { privateKeyOfSeed } from './privateKey.ts'
import { type ScryptCost, STANDARD_SCRYPT } from './secretStorage/cipher.ts'

/** Folder of key files in the data directory. */
export const KEY_STORE_FOLDER = 'keystore'

/** Location and initial accounts of a wallet. */
export interface WalletOptions {
  readonly dataDir: string
  /** Development accounts of the network; they are unlocked. */
  readonly mining: Pick<MiningSpec, 'walletSeeds' | 'coinbaseSeed'>
  readonly onSkippedFile: SkippedFileSink
  /** Keys that are listed in place of the accounts of seeds, 32 bytes each; those sign all the same. */
  readonly keys?: readonly Buffer[]
  /** Scrypt cost of new key files; by default that of geth. */
  readonly scrypt?: ScryptCost
  /** The clock, milliseconds. */
  readonly now?: () => number
}

/**
 * Opens the wallet of a data directory. It signs for the account that receives a development network's rewards, too,
 * as the reference does, but does not list it: until there are rewards it has no funds, and clients take every account
 * that is listed for one that can send.
 * @throws WalletError `KEY_FILE` when the folder of key files cannot be read
 */
export async function openWallet(options: WalletOptions): Promise<LocalWallet> {
  const { dataDir, mining, onSkippedFile, keys = [], scrypt = STANDARD_SCRYPT, now = Date.now } = options
  const store = new KeyStore(join(dataDir, KEY_STORE_FOLDER), onSkippedFile)
  await store.scan()
  const wallet = new LocalWallet({ store, scrypt, now })
  for (const key of keys) wallet.addListedKey(Buffer.from(key))
  for (const seed of mining.walletSeeds) {
    if (keys.length === 0) wallet.addSeed(seed)
    else wallet.addUnlistedKey(privateKeyOfSeed(seed))
  }
  if (mining.coinbaseSeed !== null) wallet.addUnlistedKey(privateKeyOfSeed(mining.coinbaseSeed))
  return wallet
}

/** The wallet of a configuration; null where it is disabled. A hosted endpoint holds no keys. */
export async function openConfiguredWallet(
  config: Pick<Config, 'wallet' | 'profile' | 'network' | 'dataDir'>,
  onSkippedFile: SkippedFileSink,
  keys: readonly Buffer[] = [],
): Promise<LocalWallet | null> {
  if (!config.wallet || config.profile === 'hosted') return null
  const { mining } = networkByName(config.network)
  return openWallet({ dataDir: config.dataDir, mining, onSkippedFile, keys })
}
