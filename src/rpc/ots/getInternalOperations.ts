import { defineMethod } from '../defineMethod.ts'
import type { Json } from '../json.ts'
import { anyTransactionHash } from '../params/transactionHash.ts'
import { effectiveCalls, type FlatCall } from '../tracers/flatCall.ts'
import { traceTransactions } from '../tracers/traceBlock.ts'
import { requireTransaction } from './otterscanForms.ts'

const TRANSFER = 0
const SELF_DESTRUCT = 1
const CREATE = 2
const CREATE2 = 3

/** Money that contracts sent in a transaction, and the contracts that they created and ended, but for what failed. */
export const getInternalOperations = defineMethod({
  name: 'ots_getInternalOperations',
  doc: 'Transfers, creations and ends of contracts within a transaction; what was undone is left out.',
  params: [anyTransactionHash()],
  result: { title: 'list of operations' },
  lane: 'trace',
  cost: 50,
  cache: 'none',
  audience: 'dev',
  handler: (context, [hash]) => {
    const { block, index } = requireTransaction(context, hash)
    const [trace] = traceTransactions(context, block, { tracer: 'flat' }, [index])
    // The first call is the transaction itself.
    const inner = effectiveCalls(trace?.texts ?? []).filter(({ traceAddress }) => traceAddress.length > 0)
    return inner.flatMap((call) => operationOf(call) ?? [])
  },
})

function operationOf({ type, action, result }: FlatCall): Json {
  const { from = null, to = null, value = '0x0' } = action
  switch (type) {
    case 'call': {
      const isTransfer = action.callType === 'call' && BigInt(value) > 0n
      return isTransfer ? { type: TRANSFER, from, to, value } : null
    }
    case 'create': {
      const kind = action.creationMethod === 'create2' ? CREATE2 : CREATE
      return { type: kind, from, to: result?.address ?? null, value }
    }
    case 'suicide': {
      const { address = null, refundAddress = null, balance = '0x0' } = action
      return { type: SELF_DESTRUCT, from: address, to: refundAddress, value: balance }
    }
  }
}
