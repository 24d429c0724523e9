import type { NetworkSpec } from '../config/networkSpec.ts'
import type { ChainEnvironment } from '../storage/chainEnvironment.ts'
import { commitBoth } from '../storage/commitBoth.ts'
import { recordSigned, recordWriter } from '../storage/signedChain.ts'
import type { BlockExecutor } from './blockExecutor.ts'
import { writeBlock } from './chainWriter.ts'
import type { Block } from './codec/block.ts'
import { RLP_EMPTY_LIST } from './codec/rlpWriter.ts'
import { checkActivationHeights, recordActivationHeights } from './storedHeights.ts'
import { setCanonical } from './tables/heights.ts'
import { checkIdentity, writeHead, writeIdentity } from './tables/metadata.ts'

/**
 * Stores block 0 in a new chain store, or checks that the store holds the chain that begins with it. The
 * genesis state must have been written; it is made durable first.
 * @returns whether the store was new
 * @throws StorageError for another format, another chain or other activation heights
 */
export function initializeChain(
  spec: NetworkSpec,
  environment: ChainEnvironment,
  executor: BlockExecutor,
  genesis: Block,
): boolean {
  if (checkIdentity(environment, genesis.hash)) {
    checkActivationHeights(environment, spec)
    environment.transaction((writer) => {
      recordWriter(writer)
      recordActivationHeights(writer, spec)
    })
    return false
  }
  const totalDifficulty = genesis.cumulativeDifficulty
  executor.connected(genesis, totalDifficulty)
  commitBoth(executor, environment, (writer) => {
    writeBlock(writer, genesis, { receipts: RLP_EMPTY_LIST, totalDifficulty })
    setCanonical(writer, genesis.number, genesis.hash)
    writeHead(writer, genesis.hash)
    writeIdentity(writer, genesis.hash)
    recordSigned(writer)
    recordActivationHeights(writer, spec)
  })
  return true
}
