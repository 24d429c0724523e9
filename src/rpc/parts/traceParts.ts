import { fromHex, toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { type PartedSearch, RawBytes, SharedForward } from '../json.ts'
import type { TraceFilter } from '../params/traceFilter.ts'
import { assertKept, unknownBlock } from '../select/history.ts'
import { collectTraces } from '../tracers/collectTraces.ts'
import { leastBlocks } from './leastBlocks.ts'
import { partResult } from './partResult.ts'

/** Name of the internal method of parts. */
export const TRACES_PART = 'internal_tracesPart'

/** A part of a trace_filter. */
export interface TracesPart {
  readonly from: number
  readonly to: number
  /** Hash of the head that the range belongs to. */
  readonly tip: Buffer
  readonly fromAddresses: readonly Buffer[]
  readonly toAddresses: readonly Buffer[]
  /** Traces that end it. */
  readonly most: number
}

/**
 * A trace_filter for the members of a fleet to share; null where that would not pay, where traces are passed over, and
 * for either of two lists of addresses.
 */
export function shareTraceSearch(
  { node, chain }: NodeContext,
  { fromAddresses, toAddresses, mode, after, count }: TraceFilter,
  from: number,
  to: number,
): SharedForward | null {
  const shared = node.settings.sharedBlocks.traces
  // Members of an earlier version know of no mode.
  if (mode === 'union') return null
  if (shared === 0 || to - from < shared || after !== 0) return null
  const rest = {
    tip: toHex(chain.head().hash),
    fromAddresses: fromAddresses.map(toHex),
    toAddresses: toAddresses.map(toHex),
    most: count + 1,
  }
  const search: PartedSearch = {
    method: TRACES_PART,
    from,
    to,
    leastBlocks: leastBlocks(shared),
    most: count,
    part: (first, last) => `[${JSON.stringify({ from: first, to: last, ...rest })}]`,
  }
  return new SharedForward(search)
}

interface EncodedPart {
  readonly from: number
  readonly to: number
  readonly tip: string
  readonly fromAddresses: readonly string[]
  readonly toAddresses: readonly string[]
  readonly most: number
}

/** A part as {@link shareTraceSearch} wrote it: it comes from a member, not from a client. */
export function decodeTracesPart(value: unknown): TracesPart {
  const { from, to, tip, fromAddresses, toAddresses, most } = value as EncodedPart
  return {
    from,
    to,
    tip: fromHex(tip),
    fromAddresses: fromAddresses.map(fromHex),
    toAddresses: toAddresses.map(fromHex),
    most,
  }
}

/** The traces of a part. @throws RpcError `unknownBlock` where the head of the search is not on the chain, `historyNotKept` */
export function tracesOfPart(context: NodeContext, part: TracesPart): RawBytes {
  const { chain } = context
  const { from, to, tip, fromAddresses, toAddresses, most } = part
  const header = chain.headerByHash(tip)
  if (header === null || chain.hashByNumber(header.number)?.equals(tip) !== true) throw unknownBlock(tip)
  if (to > header.number) throw new RpcError('invalidParams')
  assertKept(chain, from)
  const wanted = { fromAddresses, toAddresses, mode: 'intersection' as const, after: 0, count: most }
  const { count, elements } = collectTraces(context, wanted, { first: from, last: to, pending: null })
  return partResult(count, new RawBytes(Buffer.from(elements)))
}
