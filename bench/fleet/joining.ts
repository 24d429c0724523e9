import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SignerKey } from '../../src/snapshot/blsKeys.ts'
import { writeSignerKey } from '../../src/snapshot/signerKeyFile.ts'
import { askPatiently } from '../../test/fleet/cluster/askPatiently.ts'
import type { MemberProcess } from '../../test/fleet/cluster/memberProcess.ts'
import { fleetArguments, TestFleet } from '../../test/fleet/cluster/testFleet.ts'
import { startCommand } from '../../test/support/cli.ts'
import type { FleetBenchOptions } from './options.ts'

/** How long members of a fleet with a chain of so many blocks took until they could be asked, seconds. */
export interface Joining {
  readonly blocks: number
  /** A member with all of the chain, after it was ended. */
  readonly again: number
  /** Until the first member had made and signed a snapshot; looks for one come every 10 s. */
  readonly snapshot: number
  /** A member without data that starts from the snapshot. */
  readonly fromSnapshot: number
  /** A member without data that has every block executed. */
  readonly fromBlocks: number
}

const PASSPHRASE = 'of a bench'
/** No work for scrypt. */
const LITTLE = { n: 2, r: 8, p: 1 }
const KEY = SignerKey.generate(Buffer.alloc(32, 7))
const LONGEST_MS = 1_800_000
const LOOK_MS = 250
/** A column of `fleet status`: the id of a snapshot after the number of its signatures. */
const SIGNED = /^\d+ +m0 +1 +[0-9a-f]{10}$/m

/** Starts members without data in a fleet of one that has a chain. @param chain its data directory */
export async function measureJoin(
  chain: string,
  blocks: number,
  { servers, program }: Pick<FleetBenchOptions, 'servers' | 'program'>,
): Promise<Joining> {
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-bench-join-'))
  cpSync(chain, join(folder, 'm0'), { recursive: true })
  const [key, passphrase] = [join(folder, 'key.json'), join(folder, 'passphrase')]
  writeFileSync(passphrase, `${PASSPHRASE}\n`)
  await writeSignerKey(key, KEY, PASSPHRASE, LITTLE)
  const argsOf = (member: number) => {
    if (member === 0) return ['--fleet-signer-key', key, '--fleet-signer-passphrase', passphrase]
    return member === 1
      ? [
          '--bootstrap',
          'fleet',
          '--snapshot-keys',
          `${KEY.publicKey}:${KEY.prove()}`,
          '--snapshot-quorum',
          '1',
        ]
      : []
  }
  const args = ['--no-mining', '--finalized-distance', '3', '--fleet-snapshot-blocks', '1000000']
  const fleet = await TestFleet.start({ folder, members: 3, started: 1, servers, program, args, argsOf })
  try {
    const [first, second, third] = fleet.members as [MemberProcess, MemberProcess, MemberProcess]
    const where = fleet.servers === null ? [] : fleetArguments(fleet.servers)
    const snapshot = await timed(async () => {
      const status = () => startCommand(['fleet', 'status', ...where], [], [program]).done
      while (!SIGNED.test((await status()).stdout)) await sleep(LOOK_MS)
    })
    await first.end('SIGTERM')
    const again = await timed(() => untilReady(first))
    const joined = async (member: MemberProcess) => {
      const seconds = await timed(() => untilReady(member))
      const height = Number(await askPatiently<string>(member.url, 'eth_blockNumber', []))
      if (height < blocks) throw new Error(`the new member stands at block ${height}`)
      await member.end('SIGTERM')
      return seconds
    }
    const fromSnapshot = await joined(second)
    const fromBlocks = await joined(third)
    return { blocks, again, snapshot, fromSnapshot, fromBlocks }
  } finally {
    await fleet.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function untilReady(member: MemberProcess): Promise<void> {
  await member.start()
  await member.untilReady(LONGEST_MS)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
