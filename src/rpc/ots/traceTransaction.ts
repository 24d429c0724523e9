import { defineMethod } from '../defineMethod.ts'
import type { JsonObject } from '../format/formatBlock.ts'
import type { Json } from '../json.ts'
import { anyTransactionHash } from '../params/transactionHash.ts'
import { traceTransactions } from '../tracers/traceBlock.ts'
import { receiptWithTime, requireTransaction } from './otterscanForms.ts'

/** A call of the form `calls`, as the native core writes it (evm.md §6.2); only what is read of it. */
interface NestedCall {
  readonly type: string
  readonly from: string
  /** Absent for a creation that failed. */
  readonly to?: string
  readonly value?: string
  readonly input: string
  readonly output?: string
  readonly calls?: readonly NestedCall[]
}

/** These have no money of their own to send. */
const WITHOUT_VALUE: ReadonlySet<string> = new Set(['STATICCALL', 'DELEGATECALL', 'SELFDESTRUCT'])

/** The calls of a transaction in the order of execution, each with its depth, those that failed included. */
export const traceTransaction = defineMethod({
  name: 'ots_traceTransaction',
  doc: 'Calls of a transaction with their depth.',
  params: [anyTransactionHash()],
  result: { title: 'list of calls' },
  lane: 'trace',
  cost: 50,
  cache: 'none',
  audience: 'dev',
  handler: (context, [hash]) => {
    const { block, index } = requireTransaction(context, hash)
    const form = { tracer: 'calls', onlyTopCall: false, withLog: false } as const
    const [trace] = traceTransactions(context, block, form, [index])
    const text = trace?.texts[0]
    if (text === undefined) return []
    const top = JSON.parse(text) as NestedCall
    const created = receiptWithTime(context, hash, 0)?.['contractAddress']
    const entries: JsonObject[] = []
    // A creation that failed has the address that it would have had.
    addCalls(
      entries,
      { ...top, ...(top.to === undefined && typeof created === 'string' && { to: created }) },
      0,
    )
    return entries
  },
})

function addCalls(entries: JsonObject[], call: NestedCall, depth: number): void {
  const { type, from, to = null, value = '0x0', input, output = '0x', calls = [] } = call
  const shownValue: Json = WITHOUT_VALUE.has(type) ? null : value
  entries.push({ type, depth, from, to, value: shownValue, input, output })
  for (const inner of calls) addCalls(entries, inner, depth + 1)
}
