import { defineMethod } from '../defineMethod.ts'
import { frontEvents } from '../guards/requireFrontEvents.ts'
import { whenFiltered } from '../guards/whenFiltered.ts'
import { filterHandle } from '../params/filterHandle.ts'

/** Removes a filter; false when there is none of that handle. */
export const uninstallFilter = defineMethod({
  name: 'eth_uninstallFilter',
  doc: 'Removes a filter.',
  params: [filterHandle()],
  result: { type: 'boolean' },
  lane: 'inline',
  cost: 1,
  cache: 'none',
  handler: (context, [handle]) => {
    const { filters, memory } = frontEvents(context)
    return whenFiltered(filters.uninstall(handle, memory), (isGone) => isGone)
  },
})
