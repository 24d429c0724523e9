import { defineMethod } from '../defineMethod.ts'
import { frontEvents, grantedFilter } from '../guards/requireFrontEvents.ts'
import { whenReady } from '../guards/whenReady.ts'

/** Handle of a filter for the hashes of transactions that enter the pending set. */
export const newPendingTransactionFilter = defineMethod({
  name: 'eth_newPendingTransactionFilter',
  doc: 'Installs a filter for pending transactions and returns its id.',
  params: [],
  result: { type: 'string' },
  lane: 'inline',
  cost: 2,
  cache: 'none',
  handler: (context) => {
    const { filters, memory } = frontEvents(context)
    return whenReady(filters.installPending(memory), grantedFilter)
  },
})
