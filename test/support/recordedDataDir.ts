import { importBlocks } from '../../src/chain/import/importBlocks.ts'
import { openChain } from '../../src/execution/openChain.ts'
import { REGTEST } from './openTestChain.ts'
import { vectorPath } from './vectors.ts'

/** Fills a data directory of regtest with the blocks of `rpc/chain-main.jsonl`, 66 of them, and closes it. */
export async function importRecordedChain(dataDir: string): Promise<void> {
  const { chain, close } = openChain({ spec: REGTEST, dataDir })
  await importBlocks({ path: vectorPath('rpc/chain-main.jsonl'), spec: REGTEST, chain, commitEvery: 16 })
  await close()
}
