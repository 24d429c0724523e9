import { beginChain } from '../chain/beginChain.ts'
import { Block } from '../chain/codec/block.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import { createGenesis } from '../chain/genesis.ts'
import { checkIdentity, readHistory } from '../chain/tables/metadata.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import type { NativeChainSpec } from '../native/chainSpec.ts'
import { StateStore } from '../native/stateStore.ts'
import type { ChainEnvironment } from '../storage/chainEnvironment.ts'
import { commitBoth } from '../storage/commitBoth.ts'
import { StorageError } from '../storage/errors.ts'
import { NativeGenesisState } from './genesisState.ts'
import { nativeAncestorOf } from './nativeAncestor.ts'

/** The block that a chain goes on from. Its transactions are not here. */
export interface ForkStart {
  readonly header: BlockHeader
  /** Difficulty of the chain up to and with it. */
  readonly totalDifficulty: bigint
  readonly uncles: readonly BlockHeader[]
}

/**
 * Makes a chain that begins above a block of another network, whose state is read from an upstream, or checks that the
 * store holds one. Block 0 is there for its name alone.
 * @throws StorageError for another chain, or another block
 */
export function initializeFork(
  spec: NetworkSpec,
  nativeSpec: NativeChainSpec,
  { environment, stateStore }: { readonly environment: ChainEnvironment; readonly stateStore: StateStore },
  fork: ForkStart,
): void {
  // Its state would be read from the upstream, too.
  const genesis = createGenesis(
    spec,
    new NativeGenesisState({ spec, nativeSpec, store: StateStore.inMemory() }),
  )
  if (checkIdentity(environment, genesis.hash)) {
    const { firstBlock } = readHistory(environment)
    const isSame = firstBlock === fork.header.number
    if (isSame) return
    throw new StorageError(
      'STORAGE_NETWORK',
      `the data directory holds a chain that begins at block ${firstBlock}, and no fork of block ${fork.header.number}: give another --data-dir`,
    )
  }
  const { header, uncles, totalDifficulty } = fork
  const first = new Block(header, [], [])
  stateStore.putAncestor(nativeAncestorOf(new Block(header, [], uncles), totalDifficulty, null))
  const { number } = header
  const block0 = { block: genesis, totalDifficulty: genesis.cumulativeDifficulty }
  commitBoth(stateStore, environment, (writer) => {
    // Not recorded as signed: no other node takes such a chain.
    beginChain(writer, spec, {
      genesis: genesis.hash,
      blocks: [...(number > 0 ? [block0] : []), { block: first, totalDifficulty }],
      head: header.hash,
      history: { firstBlock: number, firstReceipts: number, firstState: number },
    })
  })
}
