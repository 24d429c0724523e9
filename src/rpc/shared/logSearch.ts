import { createBloomTest, type LogCriteria } from '../../chain/logs/logCriteria.ts'
import { LogCursor } from '../../chain/logs/logCursor.ts'
import { LogMatcher } from '../../chain/logs/logMatcher.ts'
import { fromHex, toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { anchoredHeights } from './anchoredChain.ts'
import { LogText } from './logText.ts'

/** A block whose logs are wanted; `removed`: they are told as taken back. */
export interface ListedBlock {
  readonly hash: Buffer
  readonly removed?: boolean
}

/** Blocks between two heights, both included, of the chain that ends with a block. */
export interface BlockRange {
  readonly from: number
  readonly to: number
  readonly tip: Buffer
}

/** Logs of certain blocks, in the order of the blocks. */
export interface LogSearch {
  readonly criteria: LogCriteria
  readonly blocks: readonly ListedBlock[] | BlockRange
}

/** A part of the logs of a search. */
export interface LogPage {
  /** JSON objects of the logs, without the brackets of their array. */
  readonly text: string
  readonly count: number
  /** What is left; null at the end. */
  readonly rest: LogSearch | null
}

/** When a page ends, which is always at the end of a block. */
export interface PageBounds {
  /** Characters of text after which no further block is begun. */
  readonly characters: number
  /** Called after each block with logs: its height, and what was found so far. */
  readonly onBlock?: (height: number, count: number, characters: number) => void
}

/**
 * Reads logs until the page is full.
 * @throws RpcError kind `overLimit` when the request was cancelled
 */
export function readLogPage(context: NodeContext, search: LogSearch, bounds: PageBounds): LogPage {
  const { blocks } = search
  return isRange(blocks)
    ? readRange(context, search.criteria, blocks, bounds)
    : readList(context, search.criteria, blocks, bounds)
}

function readRange(
  context: NodeContext,
  criteria: LogCriteria,
  range: BlockRange,
  bounds: PageBounds,
): LogPage {
  const page = new Page(context, criteria, bounds)
  for (const { height, hash } of anchoredHeights(context.chain, criteria, range)) {
    page.addBlock(hash, height)
    if (page.isFull && height < range.to)
      return page.close({ criteria, blocks: { ...range, from: height + 1 } })
  }
  return page.close(null)
}

function readList(
  context: NodeContext,
  criteria: LogCriteria,
  list: readonly ListedBlock[],
  bounds: PageBounds,
): LogPage {
  const page = new Page(context, criteria, bounds)
  const mayMatch = createBloomTest(criteria)
  for (const [index, { hash, removed }] of list.entries()) {
    // Logs that were taken back may be of a block that is there no more.
    const header = removed ? context.chain.storedHeader(hash) : context.chain.headerByHash(hash)
    const bloom = header?.fields.logsBloom ?? null
    if (header !== null && (bloom === null || mayMatch(bloom))) page.addBlock(hash, header.number, removed)
    if (page.isFull && index + 1 < list.length) return page.close({ criteria, blocks: list.slice(index + 1) })
  }
  return page.close(null)
}

class Page {
  readonly #context: NodeContext
  readonly #matcher: LogMatcher
  readonly #bounds: PageBounds
  readonly #logs: string[] = []
  #characters = 0

  constructor(context: NodeContext, criteria: LogCriteria, bounds: PageBounds) {
    this.#context = context
    this.#matcher = new LogMatcher(criteria)
    this.#bounds = bounds
  }

  get isFull(): boolean {
    return this.#characters >= this.#bounds.characters
  }

  close(rest: LogSearch | null): LogPage {
    return { text: this.#logs.join(','), count: this.#logs.length, rest }
  }

  addBlock(hash: Buffer, height: number, removed = false): void {
    const { chain, interrupt } = this.#context
    if (Atomics.load(interrupt.flags, interrupt.slot) !== 0) throw new RpcError('overLimit')
    const receipts = chain.storedReceipts(hash)
    const transactionHashes = chain.transactionHashes(hash)
    if (receipts === null || transactionHashes === null) return
    const log = new LogCursor(receipts)
    const text = new LogText({ number: height, hash, transactionHashes }, removed)
    const before = this.#logs.length
    while (log.next()) {
      if (!this.#matcher.matches(log)) continue
      const written = text.write(log)
      this.#characters += written.length + 1
      this.#logs.push(written)
    }
    if (this.#logs.length > before) this.#bounds.onBlock?.(height, this.#logs.length, this.#characters)
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
