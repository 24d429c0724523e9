import { toHex } from '../../util/bytes.ts'
import { WalletError } from '../../wallet/errors.ts'
import { signHashAsBytes } from '../../wallet/signing.ts'
import { hashTypedData } from '../../wallet/typedData/hashTypedData.ts'
import { parseTypedData, type TypedData } from '../../wallet/typedData/types.ts'
import type { NodeContext } from '../context.ts'
import type { Param } from '../params/param.ts'
import { toRpcError, unlockedSigner, walletOfExtension } from './wallet.ts'

/**
 * The hash of typed data (EIP-712), which comes as an object or as its JSON text.
 * @param check throws a WalletError or an RpcError for data that the version of the method does not support
 */
export function typedData(check: (data: TypedData) => void = () => undefined): Param<Buffer> {
  return {
    name: 'typedData',
    schema: { oneOf: [{ type: 'object' }, { type: 'string' }] },
    optional: false,
    parse: (value) => {
      try {
        const data = parseTypedData(value)
        check(data)
        return hashTypedData(data)
      } catch (error) {
        throw error instanceof WalletError ? toRpcError(error) : error
      }
    },
  }
}

/** Signature of the hash of typed data by an unlocked account. */
export function signTyped(context: NodeContext, method: string, account: Buffer, hash: Buffer): string {
  return toHex(signHashAsBytes(unlockedSigner(walletOfExtension(context, method), account), hash))
}
