import { Block } from '../chain/codec/block.ts'
import { solveProofOfWork } from '../native/mergedMining.ts'
import type { MiningFields } from '../native/types.ts'
import { bigIntToBytes, EMPTY_BYTES } from '../util/bytes.ts'
import { MiningError } from './errors.ts'

/**
 * Highest difficulty that is searched in this process: some seconds of work for one thread. Networks that
 * are mined for real are far above it and need a miner.
 */
const MAXIMUM_DIFFICULTY = 1n << 24n

const MERKLE_ROOT_OFFSET = 36
const HASH_BYTES = 32
/** One transaction, and one hash that follows. */
const TREE_OF_ONE_HASH = Buffer.from([1, 0, 0, 0, 1])
/** One byte of flags: the only leaf is the transaction that is looked for. */
const ONE_MATCH = Buffer.from([1, 1])

/** A built block with its proof of work. Whether the proof is right is not looked at. */
export function sealBlock(built: Block, fields: MiningFields): Block {
  const sealed = built.header.with({
    bitcoinMergedMiningHeader: fields.bitcoinHeader,
    bitcoinMergedMiningMerkleProof: fields.merkleProof,
    bitcoinMergedMiningCoinbaseTransaction: fields.coinbase,
    // From here on it stands in the coinbase, as in every block that was read.
    forkDetectionData: EMPTY_BYTES,
  })
  const block = new Block(sealed, built.transactions, built.uncles)
  block.setSenders(built.senders)
  return block
}

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
