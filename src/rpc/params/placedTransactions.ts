import { invalidParams } from '../errors.ts'
import { boundedNumber } from './boundedNumber.ts'
import { parseData } from './hex.ts'
import { isJsonObject, type Param } from './param.ts'
import { type TransactionObject, transactionObject } from './transactionObject.ts'

/** A transaction for a block: its RLP, or what the node is to sign. */
export interface BlockPlacement {
  readonly transaction: Buffer | TransactionObject
  /** Of the block, from 0. */
  readonly index: number
}

/** Pairs of a transaction, an object or RLP, and the index of the block that is to hold it (anvil_reorg of anvil). */
export function placedTransactions(name = 'transactions'): Param<readonly BlockPlacement[]> {
  const object = transactionObject()
  const number = boundedNumber('block index', Number.MAX_SAFE_INTEGER)
  return {
    name,
    schema: {
      type: 'array',
      items: {
        type: 'array',
        items: { oneOf: [{ type: 'object' }, { type: 'string' }, { type: 'integer' }] },
      },
    },
    optional: false,
    parse: (value, method) => {
      if (!Array.isArray(value))
        throw invalidParams(`Invalid ${name}: a list of [transaction, block index] expected`)
      return value.map((pair: unknown) => {
        const [transaction, index]: readonly unknown[] = Array.isArray(pair) && pair.length === 2 ? pair : []
        const isText = typeof transaction === 'string'
        if (!isText && !isJsonObject(transaction)) {
          throw invalidParams(`Invalid ${name}: pairs of a transaction and a block index expected`)
        }
        return {
          transaction: isText ? parseData(transaction) : object.parse(transaction, method),
          index: number.parse(index, method),
        }
      })
    },
  }
}
