import { statSync } from 'node:fs'
import { join } from 'node:path'
import { importBlocks } from '../../src/chain/import/importBlocks.ts'
import { openConfiguredChain } from '../../src/cli/openNode.ts'
import { loadConfig } from '../../src/config/load.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import { CHAIN_FOLDER, STATE_FOLDER } from '../../src/execution/openChain.ts'

/** What the growth to a height took. */
export interface GrowthFigures {
  readonly height: number
  /** Blocks that came with this growth. */
  readonly blocks: number
  /** From the first of them on; blocks that were there are not counted. */
  readonly seconds: number
  readonly memoryMiB: number
  /** Whole stores, bytes. */
  readonly chainBytes: number
  readonly stateBytes: number
}

/** Imports a file until the chain has a height. Meant to have a process to itself. */
export async function grow(file: string, dataDir: string, height: number): Promise<GrowthFigures> {
  const config = loadConfig({ flags: { network: 'regtest', dataDir } })
  const opened = openConfiguredChain(config)
  const end = new AbortController()
  const before = opened.chain.head.number
  let start = performance.now()
  const report = await importBlocks({
    path: file,
    spec: networkByName(config.network),
    chain: opened.chain,
    commitEvery: config.commitEvery,
    signal: end.signal,
    onProgress: ({ head }) => {
      if (head <= before) start = performance.now()
      if (head >= height) end.abort()
    },
  })
  if (report.invalid !== null) throw report.invalid
  if (report.undecided !== null) throw report.undecided
  const head = opened.chain.head.number
  await opened.close()
  const size = (folder: string) => statSync(join(dataDir, folder, 'data.mdb')).size
  return {
    height: head,
    blocks: head - before,
    seconds: (performance.now() - start) / 1000,
    memoryMiB: process.resourceUsage().maxRSS / 1024,
    chainBytes: size(CHAIN_FOLDER),
    stateBytes: size(STATE_FOLDER),
  }
}
