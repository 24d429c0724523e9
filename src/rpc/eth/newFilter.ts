import { defineMethod } from '../defineMethod.ts'
import { frontEvents, grantedFilter } from '../guards/requireFrontEvents.ts'
import { whenFiltered } from '../guards/whenFiltered.ts'
import { resolveFilterBounds } from '../logs/resolveLogRange.ts'
import { encodeLogFilter, logFilter, MAX_CRITERIA_BYTES } from '../params/logFilter.ts'

/** Handle of a filter for logs: of blocks that come or go after its creation (decisions.md D33). */
export const newFilter = defineMethod({
  name: 'eth_newFilter',
  doc: 'Installs a filter for logs and returns its id.',
  params: [logFilter()],
  result: { type: 'string' },
  lane: 'inline',
  cost: 2,
  cache: 'none',
  maxParamBytes: MAX_CRITERIA_BYTES,
  handler: (context, [filter]) => {
    const bounds = filter.blockHash === null ? resolveFilterBounds(context, filter) : { from: null, to: null }
    const { filters, memory } = frontEvents(context)
    const request = {
      criteria: { addresses: filter.addresses, topics: filter.topics },
      ...bounds,
      blockHash: filter.blockHash,
      query: encodeLogFilter(filter),
    }
    return whenFiltered(filters.installLogs(request, memory), grantedFilter)
  },
})
