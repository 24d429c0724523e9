import type { BeyondHead } from '../../config/beyondHead.ts'
import type { NodeContext } from '../context.ts'
import { invalidParams, RpcError } from '../errors.ts'
import { quantity } from '../format/quantity.ts'
import type { BlockTag } from '../params/blockSelector.ts'
import type { LogFilter } from '../params/logFilter.ts'
import { assertReceiptsKept } from '../select/history.ts'
import { findHeader } from '../select/resolveBlock.ts'

/** Numbers of the first and the last block, both included. */
export interface LogRange {
  readonly from: number
  readonly to: number
}

interface End {
  readonly number: number
  /** Written as a number, not as a tag. */
  readonly explicit: boolean
}

const TAGS: ReadonlySet<string> = new Set<BlockTag>(['earliest', 'latest', 'pending', 'safe', 'finalized'])

/**
 * Blocks of a filter: the newest unless said, cut at the head; null when there are none. Two explicit numbers the wrong
 * way round are an error unless nothing is there yet (decisions.md D29), and so is a number beyond the head where that is
 * refused (decisions.md D70).
 * @throws RpcError, `historyNotKept` for a range that begins before what is kept
 */
export function resolveLogRange(
  context: NodeContext,
  filter: LogFilter,
  beyondHead: BeyondHead,
): LogRange | null {
  const head = context.chain.head().number
  const from = resolveEnd(context, filter.fromBlock, head)
  const to = resolveEnd(context, filter.toBlock, head)
  if (from.number <= head) assertOrdered(from, to)
  if (beyondHead === 'refuse') {
    for (const end of [from, to]) if (end.explicit && end.number > head) throw rangeBeyondHead(head)
  }
  const last = Math.min(to.number, head)
  if (from.number > last) return null
  // Genesis has no logs: what a range begins with is block 1.
  if (last > 0) assertReceiptsKept(context.chain, Math.max(1, from.number))
  return { from: from.number, to: last }
}

/** @throws RpcError for two explicit numbers the wrong way round */
function assertOrdered(from: End, to: End): void {
  if (!from.explicit || !to.explicit || from.number <= to.number) return
  throw invalidParams(
    `invalid block range: fromBlock 0x${from.number.toString(16)} is after toBlock 0x${to.number.toString(16)}`,
  )
}

/** Heights between which a filter reports blocks; null where there is no bound. */
export interface FilterBounds {
  readonly from: number | null
  readonly to: number | null
}

/**
 * Bounds of a filter that reports what comes. The newest block is no bound: what comes is newer, and what
 * replaces it in a reorganisation is reported, too.
 * @throws RpcError as {@link resolveLogRange}, and for numbers the wrong way round, of which nothing ever comes
 */
export function resolveFilterBounds(context: NodeContext, filter: LogFilter): FilterBounds {
  // What comes is reported when it has come.
  resolveLogRange(context, filter, 'cut')
  const head = context.chain.head().number
  assertOrdered(resolveEnd(context, filter.fromBlock, head), resolveEnd(context, filter.toBlock, head))
  const bound = (text: string | null) =>
    text === null || OPEN_ENDS.has(text.toLowerCase()) ? null : resolveEnd(context, text, head).number
  return { from: bound(filter.fromBlock), to: bound(filter.toBlock) }
}

/** As reth says it. */
function rangeBeyondHead(head: number): RpcError {
  const data = { head: quantity(head) }
  return new RpcError('invalidParams', `block range extends beyond current head block ${data.head}`, { data })
}

const OPEN_ENDS: ReadonlySet<string> = new Set<BlockTag>(['latest', 'pending'])

function resolveEnd(context: NodeContext, text: string | null, head: number): End {
  if (text === null) return { number: head, explicit: false }
  const tag = text.toLowerCase()
  if (TAGS.has(tag)) {
    // Nothing of the next block is a log yet: it lies beyond the head and is cut.
    if (tag === 'pending') return { number: head + 1, explicit: false }
    const header = findHeader(context, { kind: 'tag', tag: tag as BlockTag })
    return { number: header?.number ?? head, explicit: false }
  }
  const number = BigInt(text)
  return {
    number: number > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(number),
    explicit: true,
  }
}
