import type { BlockHeader } from '../../chain/codec/header.ts'
import type { NodeContext } from '../context.ts'

/** Newest blocks whose fullness decides whether there is a fee market (facts/rpc.md §3.2). */
const FULLNESS_WINDOW = 50
/** Average fullness from which on there is one, in hundredths. */
const FULL_PERCENT = 90n
/** Newest transactions whose prices then count. */
const PRICE_WINDOW = 512
/** The price at this place of the sorted window is the answer. */
const PRICE_PLACE = PRICE_WINDOW / 4

/** Price of eth_gasPrice in wei: the head's minimum with a margin, more while blocks are full. */
export function suggestGasPrice(context: NodeContext): bigint {
  const head = context.chain.head()
  const minimum = head.fields.minimumGasPrice ?? 0n
  const withMargin = (minimum * context.node.settings.gasPriceFactor) / 1000n
  if (!areBlocksFull(context, head)) return withMargin
  const price = usualPrice(context, head)
  if (price === null) return minimum
  return price > withMargin ? price : withMargin
}

function areBlocksFull({ chain }: NodeContext, head: BlockHeader): boolean {
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

function usualPrice({ chain }: NodeContext, head: BlockHeader): bigint | null {
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
  return prices[PRICE_PLACE] ?? null
}
