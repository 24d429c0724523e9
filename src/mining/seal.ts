import { Block } from '../chain/codec/block.ts'
import { solveProofOfWork } from '../native/mergedMining.ts'
import type { MiningFields } from '../native/types.ts'
import { bigIntToBytes, EMPTY_BYTES } from '../util/bytes.ts'
import { MiningError } from './errors.ts'

/**
 * Highest difficulty that is mined in this process: some seconds of work for one thread. Public networks are
 * far above it and need a miner.
 */
const MAX_DIFFICULTY = 1n << 24n

const MERKLE_ROOT_OFFSET = 36
const HASH_BYTES = 32
/** Transaction count of 1 and hash count of 1. */
const TREE_OF_ONE_HASH = Buffer.from([1, 0, 0, 0, 1])
/** One byte of flags: the only leaf is the matched transaction. */
const ONE_MATCH = Buffer.from([1, 1])

/** Adds a proof of work to a built block. The proof is not checked. */
export function sealBlock(built: Block, fields: MiningFields): Block {
  const sealed = built.header.with({
    bitcoinMergedMiningHeader: fields.bitcoinHeader,
    bitcoinMergedMiningMerkleProof: fields.merkleProof,
    bitcoinMergedMiningCoinbaseTransaction: fields.coinbase,
    // From here on it is in the coinbase, as in every decoded block.
    forkDetectionData: EMPTY_BYTES,
  })
  const block = new Block(sealed, built.transactions, built.uncles)
  block.setSenders(built.senders)
  return block
}

/** Adds the fields of a proof to a built block of a fork: they prove the least work that there is. */
export function sealWithoutWork(built: Block): Block {
  return sealAt(built, 1n, () => new MiningError('DIFFICULTY', 'a proof of no work was not found'))
}

/**
 * Searches a proof of work for a built block: a Bitcoin block of one transaction that commits to it.
 * @throws MiningError `DIFFICULTY`
 */
export function sealInProcess(built: Block): Block {
  const { difficulty } = built.header
  const tooHard = () =>
    new MiningError(
      'DIFFICULTY',
      `difficulty ${difficulty} is too high to be solved by the node: use merged mining`,
    )
  if (difficulty > MAX_DIFFICULTY) throw tooHard()
  return sealAt(built, difficulty, tooHard)
}

function sealAt(built: Block, difficulty: bigint, tooHard: () => MiningError): Block {
  const { header } = built
  const found = solveProofOfWork(header.hashForMergedMining(), bigIntToBytes(difficulty), header.timestamp)
  if (found === null) throw tooHard()
  return sealBlock(
    built,
    header.fields.rskip92 ? found : { ...found, merkleProof: partialTreeOfOne(found.bitcoinHeader) },
  )
}

/** The proof before RSKIP92 (consensus.md §3.2): the partial Merkle tree of a block of one transaction. */
function partialTreeOfOne(bitcoinHeader: Uint8Array): Buffer {
  const root = bitcoinHeader.subarray(MERKLE_ROOT_OFFSET, MERKLE_ROOT_OFFSET + HASH_BYTES)
  return Buffer.concat([TREE_OF_ONE_HASH, root, ONE_MATCH])
}
