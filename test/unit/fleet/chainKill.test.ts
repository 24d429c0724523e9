import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Block } from '../../../src/chain/codec/block.ts'
import { BlockMaker } from '../../support/blockMaker.ts'
import { dumpTables, encodedBlocks, openMember } from '../../support/fleetChain.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { runInProcess } from '../../support/program.ts'
import { LOADER, ROOT } from '../../support/sources.ts'
import { testFolder } from '../../support/testFolder.ts'

t.setTimeout(300_000)

/** Moves the head in a process that dies behind the commit of a store. */
function moveAndDie(dataDir: string, { hashHex }: Block, point: 'states' | 'chain'): string | null {
  const { signal, stderr } = spawnSync(
    process.execPath,
    ['--import', LOADER, join(ROOT, 'test/faults/moveHeadChild.ts'), ...[dataDir, hashHex, point]],
    { env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
  )
  return signal ?? stderr
}

t.test(
  'a member that is killed while its head moves moved it wholly or not',
  { timeout: 300_000 },
  async (t) => {
    const maker = new BlockMaker(t, REGTEST)
    const trunk = maker.extend(maker.genesis, 6)
    const side = maker.extend(trunk[2] as Block, 5, { label: 'side' })
    const from = trunk[4] as Block
    const original = testFolder(t)
    const member = openMember(t, { dataDir: original })
    await member.service.connect(encodedBlocks([...trunk, ...side]))
    await member.service.moveHead(from.hash)
    await member.close()
    for (const [way, to] of [
      ['up', trunk[5]],
      ['down', trunk[1]],
      ['sideways', side[4]],
    ] as [string, Block][]) {
      for (const point of ['states', 'chain'] as const) {
        const name = `${way}, killed behind the commit of the ${point}`
        const dataDir = testFolder(t)
        cpSync(original, dataDir, { recursive: true })
        t.equal(moveAndDie(dataDir, to, point), 'SIGKILL', name)
        const check = await runInProcess(['check', '--data-dir', dataDir])
        t.equal(check.code, 0, check.stdout + check.stderr)
        const { service, core, close } = openMember(t, { dataDir })
        t.match(await service.head(), { hash: point === 'states' ? from.hash : to.hash }, name)
        t.match(await service.heaviest(), { number: 8 }, name)
        await service.moveHead(to.hash)
        const moved = openMember(t)
        await moved.service.connect(encodedBlocks([...trunk, ...side]))
        await moved.service.moveHead(to.hash)
        const without = ['metadata'] as const
        t.same(
          dumpTables(core.open.environment, { without }),
          dumpTables(moved.core.open.environment, { without }),
          name,
        )
        await close()
        await moved.close()
      }
    }
  },
)
