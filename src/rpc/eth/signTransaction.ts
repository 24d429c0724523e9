import type { Transaction } from '../../chain/codec/transaction.ts'
import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { quantity } from '../format/quantity.ts'
import { unlockedSigner, walletAnswer, walletOfExtension } from '../guards/wallet.ts'
import type { Json } from '../json.ts'
import { transactionObject } from '../params/transactionObject.ts'
import { signLocalTransaction } from '../sending/localTransaction.ts'

const NAME = 'eth_signTransaction'

/**
 * A signed transaction that can be sent later: `raw` as eth_sendRawTransaction takes it, and its members in
 * the form of geth. Defaults as of eth_sendTransaction (rpc.md §8.3).
 */
export const signTransaction = defineMethod({
  name: NAME,
  doc: 'Signs a transaction with the key of an unlocked account without sending it.',
  params: [transactionObject()],
  result: { type: 'object' },
  lane: 'chain',
  cost: 5,
  cache: 'none',
  handler: (context, [call]) => {
    const wallet = walletOfExtension(context, NAME)
    if (call.from === null) throw invalidParams('from is null')
    const signer = unlockedSigner(wallet, call.from)
    return walletAnswer(async () =>
      formatSigned(await signLocalTransaction(context, signer, call, 'written')),
    )
  },
})

function formatSigned(transaction: Transaction): Json {
  const { fields } = transaction
  return {
    raw: toHex(transaction.encoded),
    tx: {
      type: '0x0',
      chainId: quantity(fields.chainId),
      nonce: quantity(transaction.nonce),
      gasPrice: quantity(transaction.gasPrice),
      gas: quantity(transaction.gasLimit),
      to: transaction.isCreation ? null : toHex(fields.to),
      value: quantity(fields.value),
      input: toHex(fields.data),
      v: quantity(transaction.encodedV),
      r: quantity(fields.signature?.r ?? 0n),
      s: quantity(fields.signature?.s ?? 0n),
      hash: toHex(transaction.hash),
    },
  }
}
