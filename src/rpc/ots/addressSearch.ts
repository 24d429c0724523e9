import type { Block } from '../../chain/codec/block.ts'
import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import type { JsonObject } from '../format/formatBlock.ts'
import { boundedNumber } from '../params/boundedNumber.ts'
import { address } from '../params/hex.ts'
import { addressesOf, effectiveCalls } from '../tracers/flatCall.ts'
import { stopIfInterrupted } from '../tracers/stopIfInterrupted.ts'
import { traceTransactions } from '../tracers/traceBlock.ts'
import { minedTransaction, receiptWithTime } from './otterscanForms.ts'

/** Most transactions of a page. */
export const MAX_PAGE = 1000

/** The common parts of the methods that search. */
export const SEARCH_METHOD = {
  params: [
    address(),
    boundedNumber('block number', Number.MAX_SAFE_INTEGER),
    boundedNumber('page size', MAX_PAGE),
  ],
  result: { title: 'page' },
  lane: 'trace',
  cost: 200,
  cache: 'none',
  audience: 'dev',
} as const

/** Transactions that one search executes again: some seconds of them. */
const MAX_TRACED = 20_000

/** Start and direction of a search. */
export interface AddressSearch {
  /** 20 bytes. */
  readonly address: Buffer
  /** Height of the first block to look at. */
  readonly from: number
  readonly step: 1 | -1
  /** Transactions after which it ends, with all of the block at hand. */
  readonly size: number
}

/** The transactions that were found, in the order of the search. */
export interface FoundTransactions {
  readonly txs: readonly JsonObject[]
  /** One each, with the time of its block. */
  readonly receipts: readonly JsonObject[]
  /** True when there was no further block. */
  readonly isAtEnd: boolean
}

/**
 * The transactions that an address has to do with: as sender, receiver or created contract, or within by calls that had
 * an effect. The blocks have no index of that, so that the others are executed again; rewards are left out. A search
 * that was long enough ends where something was found.
 * @param mostTraced transactions after whose execution it ends
 * @throws RpcError `limited` for one that found nothing for too long, `overLimit`
 */
export function searchAddress(
  context: NodeContext,
  search: AddressSearch,
  mostTraced = MAX_TRACED,
): FoundTransactions {
  const { step, size } = search
  const head = context.chain.head().number
  const txs: JsonObject[] = []
  const receipts: JsonObject[] = []
  let traced = 0
  let height = search.from
  for (; height >= 1 && height <= head; height += step) {
    if (txs.length >= size) break
    if (traced >= mostTraced) {
      if (txs.length > 0) break
      throw new RpcError(
        'limited',
        `limit exceeded: nothing was found until block ${height}; search from there`,
      )
    }
    stopIfInterrupted(context)
    const hash = context.chain.hashByNumber(height)
    const block = hash === null ? null : context.chain.blockByHash(hash)
    if (block === null) break
    const found = transactionsOf(context, block, search.address)
    traced += found.traced
    for (const index of step < 0 ? found.indices.toReversed() : found.indices) {
      const transactionHash = block.transactions[index]?.hash
      const transaction = transactionHash && minedTransaction(context, transactionHash)
      const receipt = transactionHash && receiptWithTime(context, transactionHash, block.header.timestamp)
      if (transaction == null || receipt == null) continue
      txs.push(transaction)
      receipts.push(receipt)
    }
  }
  return { txs, receipts, isAtEnd: height < 1 || height > head }
}

/** Indices, ascending, of the transactions of a block that an address has to do with. */
function transactionsOf(
  context: NodeContext,
  block: Block,
  address: Buffer,
): { indices: readonly number[]; traced: number } {
  const indices = new Set<number>()
  const others: number[] = []
  const senders = context.chain.senders(block)
  block.transactions.forEach(({ isRemasc, fields }, index) => {
    if (isRemasc) return
    if (senders[index]?.equals(address) === true || fields.to.equals(address)) indices.add(index)
    else others.push(index)
  })
  if (others.length > 0) {
    const shown = toHex(address)
    for (const { index, texts } of traceTransactions(context, block, { tracer: 'flat' }, others)) {
      // Most of them do not even have its digits.
      if (!texts.some((text) => text.includes(shown))) continue
      if (effectiveCalls(texts).some((call) => addressesOf(call).includes(shown))) indices.add(index)
    }
  }
  return { indices: [...indices].sort((a, b) => a - b), traced: others.length }
}
