import { toHex } from '../../util/bytes.ts'
import { hashMessage, signHashAsBytes } from '../../wallet/signing.ts'
import { defineMethod } from '../defineMethod.ts'
import { unlockedSigner, walletAnswer, walletOfExtension } from '../guards/wallet.ts'
import { address, data } from '../params/hex.ts'
import { optional } from '../params/param.ts'
import { secretText } from '../params/secret.ts'

const NAME = 'personal_sign'

/**
 * Signature of a message as eth_sign gives it, with the parameters the other way round: what wallets of web
 * pages, ethers and viem ask for (rpc.md §8.3). With a passphrase the account need not be unlocked.
 */
export const sign = defineMethod({
  name: NAME,
  doc: 'Signs a message with the key of an account: an unlocked one, or one whose passphrase is given.',
  params: [data('message'), address(), optional(secretText('passphrase', 'Passphrase'), '')],
  result: { type: 'string', title: 'DATA' },
  lane: 'chain',
  cost: 50,
  cache: 'none',
  audience: 'dev',
  handler: (context, [message, account, passphrase]) => {
    const wallet = walletOfExtension(context, NAME)
    const hash = hashMessage(message)
    if (passphrase === '') return toHex(signHashAsBytes(unlockedSigner(wallet, account), hash))
    return walletAnswer(() =>
      wallet.withPassphrase(account, passphrase, async (signer) => toHex(signHashAsBytes(signer, hash))),
    )
  },
})
