import { defineMethod } from '../defineMethod.ts'
import { findLogs } from '../shared/findLogs.ts'
import { logFilter } from '../shared/params/logFilter.ts'

/** Logs that match a filter (facts/rpc.md §5). */
export const getLogs = defineMethod({
  name: 'eth_getLogs',
  doc: 'Logs that match a filter.',
  params: [logFilter()],
  result: { type: 'array' },
  lane: 'scan',
  cost: 20,
  cache: 'head',
  paged: true,
  handler: (context, [filter]) => findLogs(context, filter),
})
