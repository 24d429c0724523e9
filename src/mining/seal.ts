import { Block } from '../chain/codec/block.ts'
import { solveProofOfWork } from '../native/mergedMining.ts'
import { bigIntToBytes, EMPTY_BYTES } from '../util/bytes.ts'
import { MiningError } from './errors.ts'

/**
 * Highest difficulty that is searched in this process: some seconds of work for one thread. Networks that
 * are mined for real are far above it and need a miner.
 */
const MAXIMUM_DIFFICULTY = 1n << 24n

/**
 * Finds the proof of work of a built block: a Bitcoin block of one transaction that commits to it.
 * @throws MiningError `DIFFICULTY`
 */
export function sealInProcess(built: Block): Block {
  const { header } = built
  const tooHard = () =>
    new MiningError(
      'DIFFICULTY',
      `difficulty ${header.difficulty} is too high to be solved by the node: use merged mining`,
    )
  if (header.difficulty > MAXIMUM_DIFFICULTY) throw tooHard()
  const found = solveProofOfWork(
    header.hashForMergedMining(),
    bigIntToBytes(header.difficulty),
    header.timestamp,
  )
  if (found === null) throw tooHard()
  const sealed = header.with({
    bitcoinMergedMiningHeader: found.bitcoinHeader,
    bitcoinMergedMiningMerkleProof: found.merkleProof,
    bitcoinMergedMiningCoinbaseTransaction: found.coinbase,
    // From here on it stands in the coinbase, as in every block that was read.
    forkDetectionData: EMPTY_BYTES,
  })
  const block = new Block(sealed, built.transactions, built.uncles)
  block.setSenders(built.senders)
  return block
}
