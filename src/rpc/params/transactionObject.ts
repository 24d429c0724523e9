import { type CallObject, callObject } from './callObject.ts'
import { parseUnsigned } from './number.ts'
import { isJsonObject, nodeText, type Param } from './param.ts'

/** A transaction that the node is to sign: a call object, with the chain id as it was written. */
export interface TransactionObject extends CallObject {
  /** null when absent. */
  readonly chainIdText: string | null
  /** `maxFeePerGas` of a transaction of type 2: its gas price unless it names one (decisions.md D44). */
  readonly maxFeePerGas: bigint | null
}

/** A transaction object; read like a call object (rpc.md §2). */
export function transactionObject(name = 'transaction'): Param<TransactionObject> {
  const call = callObject(name)
  return {
    ...call,
    parse: (value, method) => {
      const fields = call.parse(value, method)
      const chainId = isJsonObject(value) ? value['chainId'] : undefined
      const given = chainId !== undefined && chainId !== null
      const fee = isJsonObject(value) ? (value['maxFeePerGas'] ?? null) : null
      return {
        ...fields,
        chainIdText: given ? nodeText(chainId) : null,
        maxFeePerGas: fee === null ? null : parseUnsigned(nodeText(fee)),
      }
    },
  }
}
