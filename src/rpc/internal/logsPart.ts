import { defineMethod } from '../defineMethod.ts'
import { decodeLogSearch, type LogSearch } from '../logs/logSearch.ts'
import type { Param } from '../params/param.ts'
import { LOGS_PART, logsOfPart } from '../parts/logParts.ts'

const search: Param<LogSearch> = {
  name: 'search',
  schema: { type: 'object' },
  optional: false,
  parse: decodeLogSearch,
}

/** A part of a search of logs that members of a fleet share. */
export const logsPart = defineMethod({
  name: LOGS_PART,
  doc: 'Logs of a part of a search.',
  params: [search],
  result: { type: 'object' },
  lane: 'scan',
  cost: 0,
  cache: 'none',
  audience: 'internal',
  handler: (context, [wanted]) => logsOfPart(context, wanted),
})
