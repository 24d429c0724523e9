import { CALL_PROPERTIES, type CallObject, parseCallObject } from './callObject.ts'
import { parseUnsigned } from './number.ts'
import { isGiven, isJsonObject, nodeText, type Param } from './param.ts'

/** A transaction that the node is to sign: a call object, with the chain id as it was written. */
export interface TransactionObject extends CallObject {
  /** null when absent. */
  readonly chainIdText: string | null
  /** `maxFeePerGas` of a transaction of type 2: its gas price unless it names one (decisions.md D44). */
  readonly maxFeePerGas: bigint | null
}

/** A transaction object; read like a call object (rpc.md §2), but what is no number is none of its numbers. */
export function transactionObject(name = 'transaction'): Param<TransactionObject> {
  return {
    name,
    schema: { type: 'object', properties: { ...CALL_PROPERTIES, maxFeePerGas: { type: 'string' } } },
    optional: false,
    parse: (value) => {
      const fields = parseCallObject(value, name, parseUnsigned)
      const { chainId, maxFeePerGas } = isJsonObject(value) ? value : {}
      return {
        ...fields,
        chainIdText: isGiven(chainId) ? nodeText(chainId) : null,
        maxFeePerGas: isGiven(maxFeePerGas) ? parseUnsigned(nodeText(maxFeePerGas)) : null,
      }
    },
  }
}
