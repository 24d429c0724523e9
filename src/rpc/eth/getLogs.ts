import { defineMethod } from '../defineMethod.ts'
import { findEncodedLogs } from '../logs/findEncodedLogs.ts'
import { findLogs } from '../logs/findLogs.ts'
import { logFilter } from '../params/logFilter.ts'

/** Logs that match a filter (rpc.md §5). */
export const getLogs = defineMethod({
  name: 'eth_getLogs',
  doc: 'Logs that match a filter.',
  params: [logFilter()],
  result: { type: 'array' },
  lane: 'scan',
  cost: 20,
  cache: 'head',
  cutsRanges: true,
  fast: (context, [filter], { beyondHead }) => findEncodedLogs(context, filter, beyondHead),
  handler: (context, [filter], { beyondHead }) => findLogs(context, filter, beyondHead),
})
