import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { localWallet } from '../guards/wallet.ts'
import { transactionObject } from '../params/transactionObject.ts'
import { impersonatingSigner, withoutSignatures } from '../sending/impersonation.ts'
import { sendLocalTransaction } from '../sending/localTransaction.ts'

/** Hash of a transaction of any account, which nobody signed, as anvil takes it. */
export const sendUnsignedTransaction = defineMethod({
  name: 'eth_sendUnsignedTransaction',
  doc: 'Sends a transaction of any account without its signature. The chain can then no longer be exported.',
  params: [transactionObject()],
  result: { type: 'string', title: 'DATA' },
  lane: 'chain',
  cost: 15,
  cache: 'none',
  audience: 'dev',
  handler: (context, [call]) => {
    if (call.from === null) throw invalidParams('from is null')
    const anybody = impersonatingSigner(call.from)
    return sendLocalTransaction(withoutSignatures(context), localWallet(context), anybody, call, 'written')
  },
})
