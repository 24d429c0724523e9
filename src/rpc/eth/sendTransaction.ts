import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { localWallet, walletAnswer } from '../guards/wallet.ts'
import { type TransactionObject, transactionObject } from '../params/transactionObject.ts'
import { impersonatingSigner, withoutSignatures } from '../sending/impersonation.ts'
import { sendLocalTransaction } from '../sending/localTransaction.ts'
import { reportingRefusals, sentBy } from '../sending/sentBy.ts'

const NAME = 'eth_sendTransaction'

/** Hash of a transaction that an unlocked account signed and the pool took (rpc.md §3.4). */
export const sendTransaction = defineMethod({
  name: NAME,
  doc: 'Signs a transaction with the key of an unlocked account and sends it.',
  params: [transactionObject()],
  result: { type: 'string', title: 'DATA' },
  lane: 'chain',
  cost: 15,
  cache: 'none',
  handler: (context, [call]) => reportingRefusals(context, NAME, () => send(context, call)),
})

/** @throws RpcError where nobody signs for the sender, and when the pool refuses the transaction */
function send(context: NodeContext, call: TransactionObject) {
  const wallet = localWallet(context)
  if (call.from === null) throw invalidParams('from is null')
  if (context.impersonated.has(call.from)) {
    const anybody = impersonatingSigner(call.from)
    return sendLocalTransaction(sentBy(withoutSignatures(context), NAME), wallet, anybody, call, 'written')
  }
  const signer = wallet.signer(call.from)
  if (signer === null) {
    throw invalidParams(`Could not find account for address: ${toHex(call.from)}`)
  }
  return walletAnswer(() => sendLocalTransaction(sentBy(context, NAME), wallet, signer, call, 'written'))
}
