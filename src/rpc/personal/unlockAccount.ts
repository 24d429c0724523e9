import { DEFAULT_UNLOCK_MILLISECONDS } from '../../wallet/localWallet.ts'
import { defineMethod } from '../defineMethod.ts'
import { personalWallet, walletAnswer } from '../guards/wallet.ts'
import { duration } from '../params/duration.ts'
import { address } from '../params/hex.ts'
import { secretText } from '../params/secret.ts'

/** Unlocks a stored account for some milliseconds; false when it is not stored here (rpc.md §3.9). */
export const unlockAccount = defineMethod({
  name: 'personal_unlockAccount',
  doc: 'Unlocks a stored account for a number of milliseconds.',
  params: [
    address(),
    secretText('passphrase', 'Passphrase'),
    duration('duration', DEFAULT_UNLOCK_MILLISECONDS),
  ],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 50,
  cache: 'none',
  audience: 'dev',
  handler: (context, [account, passphrase, milliseconds]) => {
    const wallet = personalWallet(context)
    return walletAnswer(() => wallet.unlock(account, passphrase, milliseconds))
  },
})
