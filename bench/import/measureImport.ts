import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { importBlocks } from '../../src/chain/import/importBlocks.ts'
import { openConfiguredChain } from '../../src/cli/openNode.ts'
import { loadConfig } from '../../src/config/load.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import { CHAIN_FOLDER, STATE_FOLDER } from '../../src/execution/openChain.ts'

/** What one import took. */
export interface ImportFigures {
  readonly blocks: number
  readonly transactions: number
  readonly gas: number
  /** Opening of the stores not counted; the last commit is. */
  readonly seconds: number
  /** Processor time of the process, seconds, all threads. */
  readonly processorSeconds: number
  /** Most resident memory of the process, MiB; what is mapped of the stores' files is part of it. */
  readonly memoryMiB: number
  /** Memory at the end without that of files, MiB. */
  readonly ownMemoryMiB: number
  /** What the two stores grew by, bytes. */
  readonly chainBytes: number
  readonly stateBytes: number
}

/**
 * Imports a file into a new data directory with the defaults of the command line, except what is given. Meant to
 * have a process to itself.
 */
export async function measureImport(
  file: string,
  dataDir: string,
  commitEvery: number,
): Promise<ImportFigures> {
  const config = loadConfig({ flags: { network: 'regtest', dataDir, commitEvery } })
  const opened = openConfiguredChain(config)
  const before = storeBytes(dataDir)
  const usage = process.cpuUsage()
  const start = performance.now()
  const report = await importBlocks({
    path: file,
    spec: networkByName(config.network),
    chain: opened.chain,
    commitEvery: config.commitEvery,
  })
  await opened.close()
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(usage)
  if (report.invalid !== null) throw report.invalid
  if (report.undecided !== null) throw report.undecided
  const after = storeBytes(dataDir)
  return {
    blocks: report.connected,
    transactions: report.transactions,
    gas: Number(report.gas),
    seconds,
    processorSeconds: (user + system) / 1e6,
    memoryMiB: memoryFigure('VmHWM'),
    ownMemoryMiB: memoryFigure('RssAnon'),
    chainBytes: after.chain - before.chain,
    stateBytes: after.state - before.state,
  }
}

/** A line of the process's status, MiB. What getrusage calls the most is a parent's, when that was larger. */
function memoryFigure(name: 'VmHWM' | 'RssAnon'): number {
  const status = readFileSync('/proc/self/status', 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
}

function storeBytes(dataDir: string): { chain: number; state: number } {
  const size = (folder: string) => statSync(join(dataDir, folder, 'data.mdb')).size
  return { chain: size(CHAIN_FOLDER), state: size(STATE_FOLDER) }
}
