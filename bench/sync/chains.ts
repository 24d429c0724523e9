import { generateChain } from '../chain/generateChain.ts'
import type { WorkloadName } from '../chain/workloads.ts'
import { WORK_FOLDER } from '../report/results.ts'

/** Chains that nodes give one another, as workload and transactions of a block. */
export const CHAINS: readonly (readonly [WorkloadName, number])[] = [
  ['token', 2],
  ['token', 20],
]

/** A file of blocks of a workload, kept from run to run. */
export async function chainFile(workload: WorkloadName, perBlock: number, blocks: number): Promise<string> {
  const file = `${WORK_FOLDER}${workload}-${blocks}x${perBlock}.rlp`
  process.stderr.write(`${workload}: ${blocks} blocks of ${perBlock} transactions\n`)
  await generateChain({ workload, blocks, transactionsPerBlock: perBlock, file })
  return file
}
