import type { Block } from './codec/block.ts'
import type { BlockHeader } from './codec/header.ts'

/** Number of recent blocks whose fullness decides whether there is a fee market (rpc.md §3.2). */
const FULLNESS_WINDOW = 50
/** Average fullness at which there is a fee market, percent. */
const FULL_PERCENT = 90n
/** Number of recent transactions whose prices then count. */
const PRICE_WINDOW = 512
/** The usual price is at this index of the sorted window (consensus.md §9.3). */
const PRICE_POSITION = PRICE_WINDOW / 4

/** Reads of the chain that the fee market needs. */
export interface FeeMarketReader {
  headerByHash(hash: Buffer): BlockHeader | null
  blockByHash(hash: Buffer): Block | null
}

/** True when the blocks up to the head were so full that prices mean something. */
export function isFeeMarketWorking(chain: FeeMarketReader, head: BlockHeader): boolean {
  if (head.number + 1 < FULLNESS_WINDOW) return false
  let sum = 0n
  let header: BlockHeader | null = head
  for (let seen = 0; seen < FULLNESS_WINDOW; seen++) {
    if (header === null) return false
    const { gasLimit } = header
    if (gasLimit > 0n) sum += (header.fields.gasUsed * 10_000n) / gasLimit
    header = header.number === 0 ? null : chain.headerByHash(header.parentHash)
  }
  return sum >= FULL_PERCENT * 100n * BigInt(FULLNESS_WINDOW)
}

/** First quartile of the gas prices of recent transactions, wei; null before there are enough. */
export function usualGasPrice(chain: FeeMarketReader, head: BlockHeader): bigint | null {
  const prices: bigint[] = []
  let hash: Buffer | null = head.hash
  while (hash !== null && prices.length < PRICE_WINDOW) {
    const block = chain.blockByHash(hash)
    if (block === null) break
    for (let i = block.transactions.length - 1; i >= 0 && prices.length < PRICE_WINDOW; i--) {
      const transaction = block.transactions[i]
      if (transaction !== undefined && !transaction.isRemasc) prices.push(transaction.gasPrice)
    }
    hash = block.number === 0 ? null : block.header.parentHash
  }
  if (prices.length < PRICE_WINDOW) return null
  prices.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return prices[PRICE_POSITION] ?? null
}
