import { toHex } from '../../util/bytes.ts'
import { hashMessage, signHashAsBytes } from '../../wallet/signing.ts'
import { defineMethod } from '../defineMethod.ts'
import { localWallet, unlockedSigner } from '../guards/wallet.ts'
import { address, data } from '../params/hex.ts'

/** Signature of a message by an unlocked account (rpc.md §3.4). */
export const sign = defineMethod({
  name: 'eth_sign',
  doc: 'Signs a message with the key of an unlocked account.',
  params: [address(), data('message')],
  result: { type: 'string', title: 'DATA' },
  lane: 'chain',
  cost: 5,
  cache: 'none',
  handler: (context, [account, message]) => {
    const signer = unlockedSigner(localWallet(context), account)
    return toHex(signHashAsBytes(signer, hashMessage(message)))
  },
})
