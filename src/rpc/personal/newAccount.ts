import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { personalWallet, walletAnswer } from '../guards/wallet.ts'
import { secretText } from '../params/secret.ts'

/** Address of a new account, stored under a passphrase and unlocked for 30 minutes (rpc.md §3.9). */
export const newAccount = defineMethod({
  name: 'personal_newAccount',
  doc: 'Makes an account and stores its key under a passphrase.',
  params: [secretText('passphrase', 'Passphrase')],
  result: { type: 'string', title: 'ADDRESS' },
  lane: 'chain',
  cost: 50,
  cache: 'none',
  audience: 'dev',
  handler: (context, [passphrase]) => {
    const wallet = personalWallet(context)
    return walletAnswer(async () => toHex(await wallet.create(passphrase)))
  },
})
