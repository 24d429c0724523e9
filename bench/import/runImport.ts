import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type ImportReport, importBlocks } from '../../src/chain/import/importBlocks.ts'
import { openConfiguredChain } from '../../src/cli/openNode.ts'
import { loadConfig } from '../../src/config/load.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import { CHAIN_FOLDER, STATE_FOLDER } from '../../src/execution/chainFolders.ts'

export interface RunImportOptions {
  /** Blocks per commit; the command line's default unless given. */
  readonly commitEvery?: number
  /** Ends the import at this height. */
  readonly height?: number
}

/** A finished import into a regtest chain, its stores closed. */
export interface FinishedImport {
  readonly report: ImportReport
  /** Height at the end. */
  readonly height: number
  /** Height before. */
  readonly before: number
  /** Duration from the first new block to the end of the last commit; existing blocks are not counted. */
  readonly seconds: number
  /** Processor time of the process for the import, all threads; the opening of the stores is not counted. */
  readonly processorSeconds: number
  /** Whole stores before the import and after it, bytes. */
  readonly storesBefore: StoreBytes
  readonly stores: StoreBytes
}

export interface StoreBytes {
  readonly chain: number
  readonly state: number
}

/** Imports a file with the defaults of the command line. @throws ChainError for an invalid block */
export async function runImport(
  file: string,
  dataDir: string,
  { commitEvery, height = Number.POSITIVE_INFINITY }: RunImportOptions,
): Promise<FinishedImport> {
  const config = loadConfig({
    flags: { network: 'regtest', dataDir, ...(commitEvery === undefined ? {} : { commitEvery }) },
  })
  const opened = openConfiguredChain(config)
  const storesBefore = storeBytes(dataDir)
  const usage = process.cpuUsage()
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
  const reached = opened.chain.head.number
  await opened.close()
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(usage)
  if (report.invalid !== null) throw report.invalid
  if (report.undecided !== null) throw report.undecided
  return {
    report,
    height: reached,
    before,
    seconds,
    processorSeconds: (user + system) / 1e6,
    storesBefore,
    stores: storeBytes(dataDir),
  }
}

/** Sizes of the files of both stores. */
export function storeBytes(dataDir: string): StoreBytes {
  const size = (folder: string) => statSync(join(dataDir, folder, 'data.mdb')).size
  return { chain: size(CHAIN_FOLDER), state: size(STATE_FOLDER) }
}
