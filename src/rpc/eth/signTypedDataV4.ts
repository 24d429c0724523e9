import { toHex } from '../../util/bytes.ts'
import { WalletError } from '../../wallet/errors.ts'
import { signHashAsBytes } from '../../wallet/signing.ts'
import { hashTypedData } from '../../wallet/typedData/hashTypedData.ts'
import { parseTypedData } from '../../wallet/typedData/types.ts'
import { defineMethod } from '../defineMethod.ts'
import { toRpcError, unlockedSigner, walletOfExtension } from '../guards/wallet.ts'
import { address } from '../params/hex.ts'
import type { Param } from '../params/param.ts'

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
  handler: (context, [account, hash]) => {
    const signer = unlockedSigner(walletOfExtension(context, NAME), account)
    return toHex(signHashAsBytes(signer, hash))
  },
})

/** The hash of typed data, which comes as an object or as its JSON text. */
function typedData(): Param<Buffer> {
  return {
    name: 'typedData',
    schema: { oneOf: [{ type: 'object' }, { type: 'string' }] },
    optional: false,
    parse: (value) => {
      try {
        return hashTypedData(parseTypedData(value))
      } catch (error) {
        throw error instanceof WalletError ? toRpcError(error) : error
      }
    },
  }
}
