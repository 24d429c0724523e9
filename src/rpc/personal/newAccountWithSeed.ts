import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { personalWallet } from '../guards/wallet.ts'
import { secretText } from '../params/secret.ts'

/** Address of the account whose key is Keccak-256 of a seed; it is kept in memory only (rpc.md §3.9). */
export const newAccountWithSeed = defineMethod({
  name: 'personal_newAccountWithSeed',
  doc: 'Adds the account of a seed, in memory only.',
  params: [secretText('seed', 'Seed')],
  result: { type: 'string', title: 'ADDRESS' },
  lane: 'chain',
  cost: 5,
  cache: 'none',
  audience: 'dev',
  handler: (context, [seed]) => toHex(personalWallet(context).addSeed(seed)),
})
