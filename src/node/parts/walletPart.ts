import type { Wallet } from '../../wallet/interface.ts'
import { openConfiguredWallet } from '../../wallet/openWallet.ts'
import type { KeyedAccount } from '../dev/developmentAccounts.ts'
import type { NodeScope } from './nodeScope.ts'

/**
 * Opens the accounts that the node signs with; null where it signs with none.
 * @param funded those of the mnemonic, which it has beside those of its files
 */
export function openWallet(
  { config, log, parts }: NodeScope,
  funded: readonly KeyedAccount[],
): Promise<Wallet | null> {
  return parts.open({
    open: () =>
      openConfiguredWallet(
        config,
        (path, reason) => log.warn({ path, reason }, 'a key file was left out'),
        funded.map(({ privateKey }) => privateKey),
      ),
    close: (wallet) => wallet?.close(),
  })
}
