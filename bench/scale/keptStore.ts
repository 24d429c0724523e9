import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openConfiguredChain } from '../../src/cli/openNode.ts'
import { loadConfig } from '../../src/config/load.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import { BlockMaker } from '../chain/blockMaker.ts'
import { createMixedWorkload, transfersIn } from '../chain/workloads.ts'
import { type StoreBytes, storeBytes } from '../import/runImport.ts'

/** What the making of blocks of a kept store took. */
export interface KeptGrowth {
  readonly height: number
  /** Blocks of this run, in how many seconds. */
  readonly blocks: number
  readonly seconds: number
  readonly memoryMiB: number
  /** Whole stores, bytes. */
  readonly chainBytes: number
  readonly stateBytes: number
}

/** Token transfers of every second block; the others are empty. */
const TRANSFERS = 2
const REPORT_SECONDS = 30
/** Disk that is left to others, bytes. */
const MIN_FREE_BYTES = 8 * 2 ** 30
const CHILD = fileURLToPath(new URL('keptChild.ts', import.meta.url))

/** Number of accounts that hold a token at a height of a kept store. */
export function holdersAt(height: number): number {
  return transfersIn(height - createMixedWorkload().setup.length) * TRANSFERS
}

/** The contract of the token. */
export function keptToken(): Buffer | null {
  return createMixedWorkload().contract
}

/**
 * The data directory of a height below a folder, grown in a process of its own where it is not there yet: from a copy
 * of the next lower one, or where an earlier run ended.
 */
export function growKept(folder: string, height: number): { dataDir: string; growth: KeptGrowth } {
  const dataDir = join(folder, String(height))
  if (!existsSync(dataDir)) copyLower(folder, height)
  const args = [...process.execArgv, CHILD, dataDir, String(height)]
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const text = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: [...stdio] })
  return { dataDir, growth: JSON.parse(text) as KeptGrowth }
}

function copyLower(folder: string, height: number): void {
  mkdirSync(folder, { recursive: true })
  const lower = readdirSync(folder)
    .filter((name) => /^[0-9]+$/.test(name) && Number(name) < height)
    .sort((one, other) => Number(other) - Number(one))[0]
  if (lower === undefined) return
  const unfinished = join(folder, `${height}.copy`)
  rmSync(unfinished, { recursive: true, force: true })
  copyStore(join(folder, lower), unfinished)
  renameSync(unfinished, join(folder, String(height)))
}

/** Copies a data directory that nobody writes; holes of its files stay holes. */
export function copyStore(from: string, to: string): void {
  execFileSync('cp', ['--archive', '--sparse=always', '--reflink=auto', from, to])
}

/** Makes the blocks of a store up to a height, on whatever is there. Meant to have a process to itself. */
export async function growStore(dataDir: string, height: number): Promise<KeptGrowth> {
  const opened = openConfiguredChain(loadConfig({ flags: { network: 'regtest', dataDir } }))
  const { chain } = opened
  const before = chain.head.number
  const start = performance.now()
  try {
    const workload = createMixedWorkload()
    workload.skip(Math.max(0, before - workload.setup.length), TRANSFERS)
    const maker = new BlockMaker(networkByName('regtest'), opened)
    let reported = start
    let reportedHeight = before
    while (chain.head.number < height) {
      maker.makeCommit(workload, TRANSFERS, height, () => undefined)
      // Lets signals and timers run between commits.
      await new Promise((resolve) => setImmediate(resolve))
      const now = performance.now()
      if (now - reported < REPORT_SECONDS * 1000) continue
      const speed = Math.round((chain.head.number - reportedHeight) / ((now - reported) / 1000))
      console.error(`${dataDir}: block ${chain.head.number} of ${height}, ${speed} blocks/s`)
      reported = now
      reportedHeight = chain.head.number
      assertRoom(dataDir)
    }
  } finally {
    await opened.close()
  }
  const stores: StoreBytes = storeBytes(dataDir)
  return {
    height: chain.head.number,
    blocks: chain.head.number - before,
    seconds: (performance.now() - start) / 1000,
    memoryMiB: process.resourceUsage().maxRSS / 1024,
    chainBytes: stores.chain,
    stateBytes: stores.state,
  }
}

function assertRoom(dataDir: string): void {
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize < MIN_FREE_BYTES) throw new Error(`${dataDir}: less than 8 GiB of the disk are left`)
}
