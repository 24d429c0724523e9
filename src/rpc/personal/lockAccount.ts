import { defineMethod } from '../defineMethod.ts'
import { personalWallet } from '../guards/wallet.ts'
import { address } from '../params/hex.ts'

/** Forgets the key of an unlocked account; false when it was not unlocked (rpc.md §3.9). */
export const lockAccount = defineMethod({
  name: 'personal_lockAccount',
  doc: 'Locks an account.',
  params: [address()],
  result: { type: 'boolean' },
  lane: 'chain',
  cost: 5,
  cache: 'none',
  audience: 'dev',
  handler: (context, [account]) => personalWallet(context).lock(account),
})
