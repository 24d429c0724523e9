import type { TypedData } from '../../wallet/typedData/types.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { signTyped, typedData } from '../guards/typedData.ts'
import { address } from '../params/hex.ts'

const NAME = 'eth_signTypedData_v3'

/** Version 3 of the wallets, which knows no arrays and hashes all else as version 4 does (decisions.md D50). */
export const signTypedDataV3 = defineMethod({
  name: NAME,
  doc: 'Signs typed data (EIP-712) without arrays with the key of an unlocked account.',
  params: [address(), typedData(withoutArrays)],
  result: { type: 'string', title: 'DATA' },
  lane: 'chain',
  cost: 5,
  cache: 'none',
  handler: (context, [account, hash]) => signTyped(context, NAME, account, hash),
})

function withoutArrays({ types }: TypedData): void {
  for (const [struct, fields] of types) {
    const array = fields.find(({ type }) => type.endsWith(']'))
    if (array !== undefined) {
      throw invalidParams(`${struct}.${array.name}: version 3 has no arrays, use eth_signTypedData_v4`)
    }
  }
}
