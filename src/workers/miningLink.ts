import type { PoolSolution } from '../mining/bitcoinSolution.ts'
import type { MiningWork, SolutionOutcome, TemplateSolution } from '../mining/interface.ts'
import { asBuffer } from '../util/bytes.ts'

/** Work as it crosses threads: byte arrays lose their Buffer methods. */
export interface EncodedWork {
  readonly serial: number
  readonly hashForMergedMining: Uint8Array
  readonly target: Uint8Array
  readonly fees: bigint
  readonly notify: boolean
  readonly parentHash: Uint8Array
  readonly timestamp: number
}

/** An outcome as it crosses threads. */
export type EncodedSolutionOutcome =
  | (Omit<Extract<SolutionOutcome, { status: 'imported' }>, 'hash'> & { readonly hash: Uint8Array })
  | Exclude<SolutionOutcome, { status: 'imported' }>

/** A solution of eth_getWork as it crosses threads. */
export interface EncodedTemplateSolution {
  readonly nonce: Uint8Array
  readonly work: Uint8Array
  readonly seed: Uint8Array
}

type Promised<T> = T | Promise<T>

/** Merged mining as the chain thread serves it. Throws where miners are not served. */
export interface MiningLinkService {
  work(): Promised<EncodedWork>
  submitSolution(solution: PoolSolution): Promised<EncodedSolutionOutcome>
  submitTemplate(solution: EncodedTemplateSolution): Promised<EncodedSolutionOutcome>
}

/** Merged mining as another thread reaches it; rejects where miners are not served. */
export interface MiningLink {
  work(): Promise<MiningWork>
  submit(solution: PoolSolution): Promise<SolutionOutcome>
  submitTemplate(solution: TemplateSolution): Promise<SolutionOutcome>
}

/** Work as it was before it crossed threads. */
export function decodeWork(work: EncodedWork): MiningWork {
  return {
    ...work,
    hashForMergedMining: asBuffer(work.hashForMergedMining),
    target: asBuffer(work.target),
    parentHash: asBuffer(work.parentHash),
  }
}

/** An outcome as it was before it crossed threads. */
export function decodeSolutionOutcome(outcome: EncodedSolutionOutcome): SolutionOutcome {
  return outcome.status === 'imported' ? { ...outcome, hash: asBuffer(outcome.hash) } : outcome
}

/** A solution as it was before it crossed threads. */
export function decodeTemplateSolution({ nonce, work, seed }: EncodedTemplateSolution): TemplateSolution {
  return { nonce: asBuffer(nonce), work: asBuffer(work), seed: asBuffer(seed) }
}
