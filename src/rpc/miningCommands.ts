import type { PoolSolution } from '../mining/bitcoinSolution.ts'
import type { MiningWork, SolutionOutcome, TemplateSolution } from '../mining/interface.ts'

/** Mining from outside the node. The work is built, and solutions are taken, in the chain thread. */
export interface MiningCommands {
  /** The newest work; `notify` is true for the first reader only. */
  work(): Promise<MiningWork>
  submit(solution: PoolSolution): Promise<SolutionOutcome>
  submitTemplate(solution: TemplateSolution): Promise<SolutionOutcome>
  /**
   * Notes the hash rate of a miner.
   * @param rate hashes per second
   * @param miner 32 bytes
   * @returns whether it is counted
   */
  reportHashrate(rate: bigint, miner: Buffer): boolean
  /** Keeps new work coming for those who take it as it comes; to be repeated. */
  keepAwake(): void
  /** Hashes per second that miners reported lately. */
  reportedHashrate(): bigint
}
