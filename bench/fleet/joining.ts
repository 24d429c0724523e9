import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askPatiently } from '../../test/fleet/cluster/askPatiently.ts'
import { TestFleet } from '../../test/fleet/cluster/testFleet.ts'
import type { FleetBenchOptions } from './options.ts'

export interface Joining {
  readonly blocks: number
  /** Until a member without data could be asked. */
  readonly seconds: number
  readonly height: number
}

/** Starts a member without data in a fleet that has a chain. @param chain data directory to begin with */
export async function measureJoin(
  chain: string,
  { blocks, servers, program }: Pick<FleetBenchOptions, 'blocks' | 'servers' | 'program'>,
): Promise<Joining> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-bench-join-'))
  cpSync(chain, join(folder, 'm0'), { recursive: true })
  const options = { folder, members: 2, servers, program, args: ['--no-mining'] }
  const fleet = await TestFleet.start({ ...options, started: 1 })
  try {
    const [, member] = fleet.members
    if (member === undefined) throw new Error('there is no second member')
    const begin = performance.now()
    await member.start()
    await member.untilReady(LONGEST_MS)
    const seconds = (performance.now() - begin) / 1000
    return { blocks, seconds, height: Number(await askPatiently<string>(member.url, 'eth_blockNumber', [])) }
  } finally {
    await fleet.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const LONGEST_MS = 1_800_000
