import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { frontEvents } from '../guards/requireFrontEvents.ts'
import { whenFiltered } from '../guards/whenFiltered.ts'
import { Forward, RawBytes } from '../json.ts'
import { filterHandle } from '../params/filterHandle.ts'

/** All logs that match a log filter, as eth_getLogs; of the other filters everything since their creation. */
export const getFilterLogs = defineMethod({
  name: 'eth_getFilterLogs',
  doc: 'Everything that matches a filter.',
  params: [filterHandle()],
  result: { type: 'array' },
  lane: 'inline',
  cost: 20,
  cache: 'none',
  handler: (context, [handle]) => {
    const { filters, memory } = frontEvents(context)
    return whenFiltered(filters.content(handle, memory), (content) => {
      if (content === null) throw new RpcError('filterNotFound')
      if (content.kind === 'result') return new RawBytes(content.result)
      return content.kind === 'hashes'
        ? content.hashes.map(toHex)
        : new Forward('eth_getLogs', `[${content.query}]`)
    })
  },
})
