import { defineMethod } from '../defineMethod.ts'
import { frontEvents, grantedFilter } from '../guards/requireFrontEvents.ts'
import { whenFiltered } from '../guards/whenFiltered.ts'

/** Handle of a filter for the hashes of blocks that join the canonical chain. */
export const newBlockFilter = defineMethod({
  name: 'eth_newBlockFilter',
  doc: 'Installs a filter for new blocks and returns its id.',
  params: [],
  result: { type: 'string' },
  lane: 'inline',
  cost: 2,
  cache: 'none',
  handler: (context) => {
    const { filters, memory } = frontEvents(context)
    return whenFiltered(filters.installBlocks(memory), grantedFilter)
  },
})
