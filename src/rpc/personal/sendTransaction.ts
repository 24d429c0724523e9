import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { personalWallet, walletAnswer } from '../guards/wallet.ts'
import { secretText } from '../params/secret.ts'
import { transactionObject } from '../params/transactionObject.ts'
import { sendLocalTransaction } from '../sending/localTransaction.ts'
import { sentBy } from '../sending/sentBy.ts'

const NAME = 'personal_sendTransaction'

/** Hash of a transaction that a stored account signed, unlocked for it alone (rpc.md §3.9). */
export const sendTransaction = defineMethod({
  name: NAME,
  doc: 'Signs a transaction with the key of a stored account and sends it.',
  params: [transactionObject(), secretText('passphrase', 'Passphrase')],
  result: { type: 'string', title: 'DATA' },
  lane: 'chain',
  cost: 50,
  cache: 'none',
  audience: 'dev',
  handler: (context, [call, passphrase]) => {
    const wallet = personalWallet(context)
    const { from } = call
    if (from === null) throw invalidParams('from is null')
    return walletAnswer(() =>
      wallet.withPassphrase(from, passphrase, (signer) =>
        sendLocalTransaction(sentBy(context, NAME), wallet, signer, call, 'number'),
      ),
    )
  },
})
