import type { Block } from '../../chain/codec/block.ts'
import { bigIntToFixedBytes, toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams, RpcError } from '../errors.ts'
import type { Json } from '../json.ts'
import { blockRef } from '../params/blockSelector.ts'
import { boundedNumber } from '../params/boundedNumber.ts'
import { address } from '../params/hex.ts'
import { parseNumber } from '../params/number.ts'
import { type Param, scalarText } from '../params/param.ts'
import { changedSlots, parseAccountDiffs } from '../tracers/accountDiffs.ts'
import { storageRange } from '../tracers/storageRange.ts'
import { atStoredBlock, traceTransactions } from '../tracers/traceBlock.ts'

const WORD_BYTES = 32
const MAX_TRANSACTIONS = 0x7fff_ffff
/** Most cells of an answer, and cells that are read at a time. */
const MAX_CELLS = 1024
const PAGE_CELLS = 512

/**
 * Cells of a contract before a transaction of a block, ordered by the hashes of their slots (decisions.md D50). They
 * are read from the first one on, whatever the range begins with.
 */
export const storageRangeAt = defineMethod({
  name: 'debug_storageRangeAt',
  doc: 'Cells of a contract before a transaction of a block, ordered by the hashes of their slots, at most 1,024.',
  params: [
    blockRef(),
    boundedNumber('transactionIndex', MAX_TRANSACTIONS),
    address(),
    startHash(),
    boundedNumber('maxResult', Number.MAX_SAFE_INTEGER),
  ],
  result: { title: 'cells and where the next ones begin, or null' },
  lane: 'trace',
  cost: 100,
  cache: 'none',
  handler: (context, [selector, index, account, start, most]) =>
    atStoredBlock(context, selector, (block) => {
      if (index > block.transactions.length) {
        throw invalidParams(`the block has ${block.transactions.length} transactions`)
      }
      const count = Math.min(most, MAX_CELLS)
      const cells = cellsBefore(context, block, index, account, start, count + 1)
      const shown = cells.slice(0, count)
      return {
        storage: Object.fromEntries(
          shown.map(({ hash, slot, value }): [string, Json] => [
            hash,
            { key: toHex(bigIntToFixedBytes(slot, WORD_BYTES)), value },
          ]),
        ),
        nextKey: cells[count]?.hash ?? null,
      }
    }),
})

function cellsBefore(
  context: NodeContext,
  block: Block,
  index: number,
  account: Buffer,
  start: string,
  count: number,
) {
  const { chain, interrupt, state } = context
  const below = block.number === 0 ? block.header : chain.headerByHash(block.header.parentHash)
  if (below === null) throw new RpcError('notFound', `State not found for block with hash ${block.hashHex}`)
  const { changes, isNew } = changesBefore(context, block, index, toHex(account))
  const view = state.at(below)
  return storageRange(
    (after) => {
      if (Atomics.load(interrupt.flags, interrupt.slot) !== 0) throw new RpcError('overLimit')
      return isNew ? [] : view.cells(account, after, PAGE_CELLS)
    },
    changes,
    start,
    count,
  )
}

/**
 * The changes of an account by the transactions before one. @returns also whether nothing of what was before is left
 */
function changesBefore(context: NodeContext, block: Block, index: number, account: string) {
  const changes = new Map<bigint, string>()
  let isNew = false
  if (index > 0) {
    const earlier = Array.from({ length: index }, (_, position) => position)
    for (const { texts } of traceTransactions(
      context,
      block,
      { tracer: 'prestate', diffMode: true },
      earlier,
    )) {
      const { pre, post } = parseAccountDiffs(texts[0] ?? '{"pre":{},"post":{}}')
      const [before, after] = [pre[account], post[account]]
      if (before !== undefined && after === undefined) {
        changes.clear()
        isNew = true
      }
      if (after !== undefined) {
        for (const [slot, value] of changedSlots(before ?? {}, after)) changes.set(BigInt(slot), value)
      }
    }
  }
  return { changes, isNew }
}

/** The hash from which on cells are wanted: DATA of up to 32 bytes. */
function startHash(): Param<string> {
  return {
    name: 'keyStart',
    schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{0,64}$' },
    optional: false,
    parse: (value) => {
      const number = parseNumber(scalarText(value))
      if (number < 0n || number >= 1n << BigInt(8 * WORD_BYTES))
        throw invalidParams('Invalid keyStart: 32 bytes expected')
      return toHex(bigIntToFixedBytes(number, WORD_BYTES))
    },
  }
}
