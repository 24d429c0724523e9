import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { checkChain } from '../../src/chain/check/checkChain.ts'
import { openChain } from '../../src/execution/openChain.ts'
import { createStateChecker } from '../../src/execution/stateChecker.ts'
import { FolderSource } from '../../src/snapshot/folderSource.ts'
import { restoreSnapshot } from '../../src/snapshot/restoreSnapshot.ts'
import { cutSnapshot } from '../support/backfillScene.ts'
import { BlockMaker } from '../support/blockMaker.ts'
import { createRandom } from '../support/random.ts'
import { LOADER, ROOT } from '../support/sources.ts'
import { WEIGHTY } from '../support/syncScene.ts'
import { testFolder } from '../support/testFolder.ts'
import { copyStore } from './checkStore.ts'

const BLOCKS = 600
const KEPT = 20
const KILLS = 8
/** Commits of a run before the kill, and how long behind the last of them. */
const COMMITS = 12
const MAX_MILLISECONDS = 20

// A process per kill, on a machine that may be busy.
t.setTimeout(600_000)

interface Kill {
  readonly commits: number
  /** Milliseconds behind the last of them. */
  readonly delay: number
}

/** @param kill when it is killed; null to let it go on to its end. @returns whether it came there */
async function run(dataDir: string, sourceDir: string, kill: Kill | null): Promise<boolean> {
  const child = spawn(
    process.execPath,
    ['--import', LOADER, join(ROOT, 'test/faults/backfillChild.ts'), ...[dataDir, sourceDir]],
    { env: { PATH: process.env['PATH'] } },
  )
  let output = ''
  let isDue = false
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString()
    if (kill === null || isDue || output.split('stored').length <= kill.commits) return
    isDue = true
    setTimeout(() => child.kill('SIGKILL'), kill.delay)
  })
  child.stderr.on('data', (data: Buffer) => {
    output += data.toString()
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`it ended with ${code}: ${output}`)
  return output.includes('ended')
}

t.test('killed at any instant, backward fill loses nothing that it stored and goes on there', async (t) => {
  const maker = new BlockMaker(t, WEIGHTY)
  maker.extend(maker.genesis, BLOCKS)
  const { dataDir: sourceDir } = maker.open as typeof maker.open & { readonly dataDir: string }
  const folder = await cutSnapshot(t, WEIGHTY, sourceDir, { blocks: KEPT })
  const dataDir = join(testFolder(t), 'data')
  await restoreSnapshot({
    spec: WEIGHTY,
    dataDir,
    source: new FolderSource(folder),
    trust: { kind: 'anyone' },
  })
  await maker.open.close()
  const look = async (): Promise<number> => {
    const open = openChain({ spec: WEIGHTY, dataDir: copyStore(dataDir) })
    const { chain, environment, stateStore } = open
    const states = createStateChecker(WEIGHTY, stateStore)
    const { problems } = checkChain({ spec: WEIGHTY, environment, states, stateBlocks: 1, full: true })
    t.same(problems, [])
    const { firstBlock, firstReceipts } = chain.reader.history()
    t.equal(firstReceipts, BLOCKS + 1 - KEPT)
    await open.close()
    return firstBlock
  }
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.comment(`seed ${seed}`)
  const random = createRandom(seed)
  let lowest = await look()
  let between = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const commits = Math.floor(random() * COMMITS)
    const delay = Math.floor(random() * MAX_MILLISECONDS)
    const hasEnded = await run(dataDir, sourceDir, { commits, delay })
    const firstBlock = await look()
    t.comment(`${commits} commits and ${delay} ms: first block ${firstBlock}${hasEnded ? ', ended' : ''}`)
    t.ok(firstBlock <= lowest)
    if (firstBlock < lowest && firstBlock > 0) between += 1
    lowest = firstBlock
    if (hasEnded) break
  }
  t.ok(between > 0, `${between} kills in between`)
  t.equal(await run(dataDir, sourceDir, null), true)
  t.equal(await look(), 0)
})
