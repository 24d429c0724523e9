import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { personalWallet, walletAnswer } from '../guards/wallet.ts'
import { privateKey, secretText } from '../params/secret.ts'

/** Address of a private key, stored under a passphrase and unlocked for 30 minutes (rpc.md §3.9). */
export const importRawKey = defineMethod({
  name: 'personal_importRawKey',
  doc: 'Stores a private key under a passphrase.',
  params: [privateKey(), secretText('passphrase', 'Passphrase')],
  result: { type: 'string', title: 'ADDRESS' },
  lane: 'chain',
  cost: 50,
  cache: 'none',
  audience: 'dev',
  handler: (context, [key, passphrase]) => {
    const wallet = personalWallet(context)
    return walletAnswer(async () => toHex(await wallet.importKey(key, passphrase)))
  },
})
