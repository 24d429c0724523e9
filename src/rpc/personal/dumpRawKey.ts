import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { personalWallet } from '../guards/wallet.ts'
import { address } from '../params/hex.ts'

/** Private key of an unlocked account (rpc.md §3.9). */
export const dumpRawKey = defineMethod({
  name: 'personal_dumpRawKey',
  doc: 'Private key of an unlocked account.',
  params: [address()],
  result: { type: 'string', title: 'DATA' },
  lane: 'chain',
  cost: 5,
  cache: 'none',
  audience: 'dev',
  handler: (context, [account]) => {
    const key = personalWallet(context).exportKey(account)
    if (key === null) throw invalidParams('The account is locked or not in this node')
    return toHex(key)
  },
})
