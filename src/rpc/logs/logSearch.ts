import { createBloomTest, type LogCriteria } from '../../chain/logs/logCriteria.ts'
import type { LogPage, LogPageEnd } from '../../native/encodedObjectCache.ts'
import { fromHex, toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { anchoredRuns, type BlockRange, type BlockRun } from '../select/anchoredChain.ts'
import { LogBlocks, MAX_BLOCKS } from './logBlocks.ts'

/** A block whose logs are wanted; `removed`: they are reported as taken back. */
export interface ListedBlock {
  readonly hash: Buffer
  readonly removed?: boolean
}

/** Logs of certain blocks, in the order of the blocks. */
export interface LogSearch {
  readonly criteria: LogCriteria
  readonly blocks: readonly ListedBlock[] | BlockRange
}

/** A part of the logs of a search. */
export interface LogsRead {
  /** JSON objects of the logs with commas between, without the brackets of their array. */
  readonly bytes: LogPage
  readonly count: number
  /** Height of the last block that was read; null when there was none. */
  readonly last: number | null
  /** The rest of the search; null at the end. */
  readonly rest: LogSearch | null
}

/**
 * Reads logs until the page is full, which it is at the end of a block only.
 * @throws RpcError kind `overLimit` when the request was cancelled
 */
export function readLogs(context: NodeContext, search: LogSearch, end: LogPageEnd): LogsRead {
  const { criteria, blocks } = search
  const reader = new LogReader(context, context.encodedObjects.logPage(criteria, end))
  return isRange(blocks)
    ? readRange(context, reader, criteria, blocks)
    : readList(context, reader, criteria, blocks)
}

function readRange(
  { chain }: NodeContext,
  reader: LogReader,
  criteria: LogCriteria,
  range: BlockRange,
): LogsRead {
  for (const run of anchoredRuns(chain, criteria, range)) {
    reader.add(run, false)
    const { last } = reader
    if (reader.isFull && last !== null && last < range.to) {
      return reader.close({ criteria, blocks: { ...range, from: last + 1 } })
    }
  }
  return reader.close(null)
}

function readList(
  { chain }: NodeContext,
  reader: LogReader,
  criteria: LogCriteria,
  list: readonly ListedBlock[],
): LogsRead {
  const mayMatch = createBloomTest(criteria)
  for (const [index, { hash, removed = false }] of list.entries()) {
    // A poll reports blocks that came and were taken back by a rewind, which are there no more: as added, then as removed.
    const header = chain.storedHeader(hash)
    const bloom = header?.fields.logsBloom ?? null
    if (header !== null && (bloom === null || mayMatch(bloom))) {
      reader.add({ heights: [header.number], hashes: hash }, removed)
    }
    if (reader.isFull && index + 1 < list.length) {
      return reader.close({ criteria, blocks: list.slice(index + 1) })
    }
  }
  return reader.close(null)
}

const HASH_BYTES = 32

/** Fills a page with the logs of blocks: with kept ones, or from the store. */
class LogReader {
  last: number | null = null
  readonly #context: NodeContext
  readonly #page: LogPage
  #stored: LogBlocks | undefined

  constructor(context: NodeContext, page: LogPage) {
    this.#context = context
    this.#page = page
  }

  get isFull(): boolean {
    return this.#page.isFull
  }

  /** Adds blocks until the page is full. */
  add({ heights, hashes }: BlockRun, removed: boolean): void {
    const { interrupt } = this.#context
    for (let next = 0; next < heights.length; ) {
      if (Atomics.load(interrupt.flags, interrupt.slot) !== 0) throw new RpcError('overLimit')
      next += this.#page.addKept(hashes.subarray(next * HASH_BYTES), removed)
      if (next < heights.length && !this.isFull) next += this.#addStored({ heights, hashes }, next, removed)
      this.last = heights[next - 1] ?? this.last
      if (this.isFull) return
    }
  }

  close(rest: LogSearch | null): LogsRead {
    const { count } = this.#page
    return { bytes: this.#page, count, last: this.last, rest }
  }

  /** Adds blocks from an index on whose logs are not kept, some at once. @returns how many */
  #addStored({ heights, hashes }: BlockRun, from: number, removed: boolean): number {
    const ahead = hashes.subarray(from * HASH_BYTES, (from + MAX_BLOCKS) * HASH_BYTES)
    const missing = Math.max(1, this.#page.countMissing(ahead))
    this.#stored ??= new LogBlocks(this.#context.chain)
    return this.#page.addStored(this.#stored.read(heights.slice(from, from + missing), ahead), removed)
  }
}

/** The search as JSON value. */
export function encodeLogSearch({ criteria, blocks }: LogSearch): string {
  return JSON.stringify({
    addresses: criteria.addresses.map(toHex),
    topics: criteria.topics.map((alternatives) => alternatives.map(toHex)),
    ...(isRange(blocks)
      ? { from: blocks.from, to: blocks.to, tip: toHex(blocks.tip) }
      : { blocks: blocks.map(({ hash, removed }) => ({ hash: toHex(hash), removed })) }),
  })
}

interface EncodedSearch {
  readonly addresses: readonly string[]
  readonly topics: readonly (readonly string[])[]
  readonly from: number
  readonly to: number
  readonly tip: string
  readonly blocks?: readonly { readonly hash: string; readonly removed?: boolean }[]
}

/** A search that {@link encodeLogSearch} wrote: it comes from this process, not from a client. */
export function decodeLogSearch(value: unknown): LogSearch {
  const { addresses, topics, blocks, from, to, tip } = value as EncodedSearch
  return {
    criteria: {
      addresses: addresses.map(fromHex),
      topics: topics.map((alternatives) => alternatives.map(fromHex)),
    },
    blocks:
      blocks === undefined
        ? { from, to, tip: fromHex(tip) }
        : blocks.map(({ hash, removed = false }) => ({ hash: fromHex(hash), removed })),
  }
}

function isRange(blocks: LogSearch['blocks']): blocks is BlockRange {
  return !Array.isArray(blocks)
}
