import type { PoolSolution } from '../mining/bitcoinSolution.ts'
import type { MiningWork, SolutionOutcome, TemplateSolution } from '../mining/interface.ts'

/** Work and solutions, as the chain thread has them. Rejects where miners are not served. */
export interface MinerCommands {
  /** The newest work. */
  work(): Promise<MiningWork>
  submit(solution: PoolSolution): Promise<SolutionOutcome>
  submitTemplate(solution: TemplateSolution): Promise<SolutionOutcome>
}

/** Mining from outside the node; `notify` of the work is true for its first reader only. */
export interface MiningCommands extends MinerCommands {
  /**
   * Records the hash rate of a miner.
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
