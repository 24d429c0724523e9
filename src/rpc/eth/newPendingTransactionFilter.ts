import { defineMethod } from '../defineMethod.ts'
import { frontEvents, grantedFilter } from '../guards/requireFrontEvents.ts'
import { whenFiltered } from '../guards/whenFiltered.ts'

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
    return whenFiltered(filters.installPending(memory), grantedFilter)
  },
})
