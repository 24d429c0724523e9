import { defineMethod } from '../defineMethod.ts'
import { signTyped, typedData } from '../guards/typedData.ts'
import { address } from '../params/hex.ts'

const NAME = 'eth_signTypedData_v4'

/** Signature of typed data (EIP-712) by an unlocked account (rpc.md §8.3). */
export const signTypedDataV4 = defineMethod({
  name: NAME,
  doc: 'Signs typed data (EIP-712) with the key of an unlocked account.',
  params: [address(), typedData()],
  result: { type: 'string', title: 'DATA' },
  lane: 'chain',
  cost: 5,
  cache: 'none',
  handler: (context, [account, hash]) => signTyped(context, NAME, account, hash),
})
