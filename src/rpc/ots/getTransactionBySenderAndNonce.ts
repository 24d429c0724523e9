import { bytesToBigInt, toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { address } from '../params/hex.ts'
import { wideNumber } from '../params/wideNumber.ts'
import { firstBlockWith } from './firstBlockWith.ts'

/** Hash of the mined transaction of an account with a nonce; null when there is none. */
export const getTransactionBySenderAndNonce = defineMethod({
  name: 'ots_getTransactionBySenderAndNonce',
  doc: 'Hash of the mined transaction of an account with a nonce.',
  params: [address('sender'), wideNumber('nonce', 64)],
  result: { title: 'hash or null' },
  lane: 'read',
  cost: 10,
  cache: 'none',
  audience: 'dev',
  handler: (context, [sender, nonce]) => {
    const header = firstBlockWith(context, (state) => (state.account(sender)?.nonce ?? 0n) > nonce)
    const block = header === null ? null : context.chain.blockByHash(header.hash)
    if (block === null) return null
    const senders = context.chain.senders(block)
    // A nonce that a user set belongs to no transaction.
    const found = block.transactions.find(
      ({ fields }, index) =>
        senders[index]?.equals(sender) === true && bytesToBigInt(fields.nonceBytes) === nonce,
    )
    return found === undefined ? null : toHex(found.hash)
  },
})
