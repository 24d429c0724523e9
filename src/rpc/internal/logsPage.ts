import { defineMethod } from '../defineMethod.ts'
import { pageOf } from '../logs/findLogs.ts'
import { decodeLogSearch, type LogSearch } from '../logs/logSearch.ts'
import type { Param } from '../params/param.ts'

const search: Param<LogSearch> = {
  name: 'search',
  schema: { type: 'object' },
  optional: false,
  parse: decodeLogSearch,
}

/** The next logs of an answer that is sent in parts, and the logs of the blocks that a filter has to report. */
export const logsPage = defineMethod({
  name: 'internal_logsPage',
  doc: 'A part of the logs of a search.',
  params: [search],
  result: { type: 'array' },
  lane: 'scan',
  cost: 0,
  cache: 'none',
  audience: 'internal',
  handler: (context, [wanted]) => pageOf(context, wanted),
})
