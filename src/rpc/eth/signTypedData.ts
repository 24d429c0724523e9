import { defineMethod } from '../defineMethod.ts'
import { signTyped, typedData } from '../guards/typedData.ts'
import { address } from '../params/hex.ts'

const NAME = 'eth_signTypedData'

/** The method as EIP-712 itself names it: the same as version 4 (decisions.md D50). */
export const signTypedData = defineMethod({
  name: NAME,
  doc: 'Signs typed data (EIP-712) with the key of an unlocked account.',
  params: [address(), typedData()],
  result: { type: 'string', title: 'DATA' },
  lane: 'chain',
  cost: 5,
  cache: 'none',
  handler: (context, [account, hash]) => signTyped(context, NAME, account, hash),
})
