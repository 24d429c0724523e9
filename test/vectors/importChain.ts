import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConnectResult } from '../../src/chain/blockchain.ts'
import type { Block } from '../../src/chain/codec/block.ts'
import type { GenesisStateWriter } from '../../src/chain/genesis.ts'
import { type ImportReport, importBlocks } from '../../src/chain/import/importBlocks.ts'
import type { OptionalRule } from '../../src/chain/validation/blockRules.ts'
import type { NetworkSpec } from '../../src/config/networkSpec.ts'
import { type OpenChain, openChain } from '../../src/execution/openChain.ts'

/** Blocks per commit: more than one, so that reads see what is not committed yet. */
const COMMIT_EVERY = 16

/** A recorded chain and how it is imported. */
export interface ChainVector {
  readonly path: string
  readonly spec: NetworkSpec
  readonly genesis?: (writer: GenesisStateWriter) => Block
  readonly disabledRules?: ReadonlySet<OptionalRule>
  readonly systemContractsInParallel?: boolean
  readonly onResult?: (block: Block, result: ConnectResult) => void
}

/** Imports the file into a new data directory, the way the command does, and hands over what came of it. */
export async function importChain(
  vector: ChainVector,
  compare: (opened: OpenChain, report: ImportReport) => void,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rhizome-vectors-'))
  try {
    const opened = openChain({ ...vector, dataDir })
    try {
      const report = await importBlocks({
        path: vector.path,
        spec: vector.spec,
        chain: opened.chain,
        commitEvery: COMMIT_EVERY,
        ...(vector.onResult === undefined ? {} : { onResult: vector.onResult }),
      })
      compare(opened, report)
    } finally {
      await opened.close()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
