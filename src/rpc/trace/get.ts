import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { RawJson } from '../json.ts'
import { parseIndex } from '../params/number.ts'
import { type Param, scalarText } from '../params/param.ts'
import { anyTransactionHash } from '../params/transactionHash.ts'
import { findTransaction, traceTransactions } from '../tracers/traceBlock.ts'

/** One position in a list, or by itself. */
const POSITIONS: Param<number> = {
  name: 'positions',
  schema: {
    oneOf: [{ type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 1 }, { type: 'string' }],
  },
  optional: false,
  parse: (value) => {
    const positions: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (positions.length === 0 || value === null || value === '') {
      throw invalidParams("'positions' cannot be null or empty")
    }
    if (positions.length > 1) throw invalidParams("'positions' accepts only one index")
    return parseIndex(scalarText(positions[0]))
  },
}

/**
 * One call of the block that has the transaction; the position counts over all calls of the block, as in the
 * reference (rpc.md §3.14).
 */
export const get = defineMethod({
  name: 'trace_get',
  doc: 'One call of the block of a transaction, by its position among all calls of the block.',
  params: [anyTransactionHash(), POSITIONS],
  result: { title: 'call or null' },
  lane: 'trace',
  cost: 100,
  cache: 'none',
  handler: (context, [hash, position]) => {
    const found = findTransaction(context, hash)
    if (found === null) return null
    const traces = traceTransactions(context, found.block, { tracer: 'flat' })
    const text = traces.flatMap(({ texts }) => texts)[position]
    if (text === undefined) throw invalidParams(`the block has no call ${position}`)
    return new RawJson(text)
  },
})
