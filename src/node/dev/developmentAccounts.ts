import { ConfigError } from '../../config/errors.ts'
import { isDevelopmentNetwork, type NetworkSpec } from '../../config/networkSpec.ts'
import { type Config, flagOf } from '../../config/schema.ts'
import { addressOfPrivateKey } from '../../native/crypto.ts'
import { fromHex, toHex } from '../../util/bytes.ts'
import { WalletError } from '../../wallet/errors.ts'
import { mnemonicKeys } from '../../wallet/mnemonicKeys.ts'
import { privateKeyOfSeed } from '../../wallet/privateKey.ts'
import type { FundedAccount } from './stateEditor.ts'

const WEI_PER_COIN = 10n ** 18n
/** The words of the test chains of Hardhat and anvil. */
const TEST_MNEMONIC = 'test test test test test test test test test test test junk'

/** An account whose key the node has. */
export interface KeyedAccount {
  readonly address: Buffer
  readonly privateKey: Buffer
}

/** An account that a development network gives to its users. */
export interface DevelopmentAccount {
  readonly address: Buffer
  /** null when nobody knows it. */
  readonly privateKey: Buffer | null
}

/** The options about accounts of a development chain. */
export type AccountConfig = Pick<
  Config,
  'mnemonic' | 'derivationPath' | 'accounts' | 'clientName' | 'profile' | 'network' | 'fleet' | 'forkUrl'
>

/** The words whose accounts a node funds; null where it funds none beside those of genesis. */
export function mnemonicOf(config: AccountConfig): string | null {
  const { mnemonic, clientName, profile, network, fleet, forkUrl } = config
  if (mnemonic !== null) return mnemonic
  // Other members of a fleet have the chain, too, and know nothing of an edit.
  const isAlone =
    profile === 'dev' && isDevelopmentNetwork({ name: network, fork: forkUrl }) && fleet.length === 0
  // Genesis of a public network funds nobody whose key is known.
  const needsAccounts = clientName !== 'rhizome' || !isDevelopmentNetwork({ name: network })
  return isAlone && needsAccounts ? TEST_MNEMONIC : null
}

/** Accounts of the mnemonic of a configuration, with their keys; none without one. @throws ConfigError `InvalidValue` */
export async function mnemonicAccounts(config: AccountConfig): Promise<KeyedAccount[]> {
  const mnemonic = mnemonicOf(config)
  if (mnemonic === null) return []
  const { derivationPath: path, accounts: count } = config
  const keys = await mnemonicKeys({ mnemonic, path, count }).catch((error: unknown) => {
    if (!(error instanceof WalletError)) throw error
    const flag = flagOf(error.code === 'DERIVATION_PATH' ? 'derivationPath' : 'mnemonic')
    throw new ConfigError('InvalidValue', `${flag}: ${error.message}`, { cause: error })
  })
  return keys.map((privateKey) => ({ address: addressOfPrivateKey(privateKey), privateKey }))
}

/** Accounts with their balance. @param coins RBTC each; without any they are not made */
export function fundedAccounts(accounts: readonly KeyedAccount[], coins: number): FundedAccount[] {
  const balance = BigInt(coins) * WEI_PER_COIN
  return balance === 0n ? [] : accounts.map(({ address }) => ({ address, balance }))
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
