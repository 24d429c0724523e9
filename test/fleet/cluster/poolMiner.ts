import type { BitcoinPool } from '../../support/bitcoinPool.ts'
import { bytesOf, type PoolWork, type SubmitResult, submission } from '../../support/poolNode.ts'
import { askPatiently } from './askPatiently.ts'

/** Has a member make a block by the work that it hands out to pools. @returns hash of the block */
export async function mineBlock(url: string, pool: BitcoinPool): Promise<string> {
  const work = await askPatiently<PoolWork>(url, 'mnr_getWork', [])
  const solved = pool.mine(bytesOf(work.blockHashForMergedMining), BigInt(work.target), 1)
  const { blockHash } = await askPatiently<SubmitResult>(url, ...submission('block', solved))
  return blockHash
}
