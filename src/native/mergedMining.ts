import type { MiningFields, ProofOfWork } from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import type { NativeChainSpec } from './chainSpec.ts'
import { native } from './errors.ts'

/** Judges the proof of work of a header (consensus.md §3.2): the first rule broken, or null. */
export function proofOfWorkFault(spec: NativeChainSpec, proof: ProofOfWork): string | null {
  return native(() => addon.proofOfWorkFault(spec, proof))
}

/** As {@link proofOfWorkFault} for many headers, beside JavaScript: one answer each, in their order. */
export async function proofOfWorkFaultsAside(
  spec: NativeChainSpec,
  proofs: readonly ProofOfWork[],
): Promise<(string | null)[]> {
  return await native(() => addon.proofOfWorkFaultsAside(spec, [...proofs]))
}

/** Largest Bitcoin block hash, as a number, that proves a difficulty (big-endian bytes): 32 bytes. */
export function miningTarget(difficulty: Uint8Array): Buffer {
  return native(() => addon.miningTarget(difficulty))
}

/**
 * Searches a Bitcoin block of one transaction that proves a difficulty (big-endian bytes): for the
 * development chain, where that takes a few tries. `time` is the Bitcoin header's, in seconds.
 */
export function solveProofOfWork(
  hashForMergedMining: Uint8Array,
  difficulty: Uint8Array,
  time: number,
): MiningFields | null {
  return native(() => addon.solveProofOfWork(hashForMergedMining, difficulty, time))
}

/**
 * The merged-mining fields of the template of a work (`src/mining/README.md`) with a nonce of 8 bytes.
 * @param time of the Bitcoin header, seconds
 */
export function solveTemplate(
  hashForMergedMining: Uint8Array,
  time: number,
  nonce: Uint8Array,
): MiningFields {
  return native(() => addon.solveTemplate(hashForMergedMining, time, nonce))
}

/**
 * A serialised coinbase without witness as headers carry it: midstate (40 bytes) and tail. null when it has
 * no merged-mining tag.
 */
export function compressBitcoinCoinbase(coinbase: Uint8Array): Buffer | null {
  return native(() => addon.compressBitcoinCoinbase(coinbase))
}
