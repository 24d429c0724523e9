import { defineMethod } from '../defineMethod.ts'
import type { Param } from '../params/param.ts'
import { decodeTracesPart, TRACES_PART, type TracesPart, tracesOfPart } from '../parts/traceParts.ts'

const part: Param<TracesPart> = {
  name: 'part',
  schema: { type: 'object' },
  optional: false,
  parse: decodeTracesPart,
}

/** A part of a trace_filter that members of a fleet share. */
export const tracesPart = defineMethod({
  name: TRACES_PART,
  doc: 'Traces of a part of a search.',
  params: [part],
  result: { type: 'object' },
  lane: 'trace',
  cost: 0,
  cache: 'none',
  audience: 'internal',
  handler: (context, [wanted]) => tracesOfPart(context, wanted),
})
