import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkChain } from '../../src/chain/check/checkChain.ts'
import { openChain } from '../../src/execution/openChain.ts'
import { createStateChecker } from '../../src/execution/stateChecker.ts'
import { createRandom } from '../support/random.ts'
import { SNAPSHOT_SPEC, SnapshotSource } from '../support/snapshotScene.ts'
import { LOADER, ROOT } from '../support/sources.ts'
import { testFolder } from '../support/testFolder.ts'
import { copyStore } from './checkStore.ts'

const POINTS = ['saved', 'states', 'chain'] as const
/** Kills of one data directory, and commits from its start on of which one is the last. */
const KILLS = 12
const COMMITS = 3
const MAX_MILLISECONDS = 400

// A process per kill, on a machine that may be busy.
t.setTimeout(600_000)

const source = new SnapshotSource(t).grow(260)
const { checkpoint, tip } = source
const { dataDir: sourceDir } = source.maker
await source.maker.open.close()

/** @param delay milliseconds after it began, null to let it go on to its end or its kill */
async function run(
  dataDir: string,
  point: string,
  nth: number,
  delay: number | null,
): Promise<string | null> {
  const child = spawn(
    process.execPath,
    [
      '--import',
      LOADER,
      join(ROOT, 'test/faults/snapshotChild.ts'),
      ...[dataDir, sourceDir, point, String(nth)],
    ],
    { env: { PATH: process.env['PATH'] } },
  )
  let output = ''
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString()
    if (delay !== null && output === 'begun\n') setTimeout(() => child.kill('SIGKILL'), delay)
  })
  child.stderr.on('data', (data: Buffer) => {
    output += data.toString()
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`it ended with ${code}: ${output}`)
  return /ended (\w+)/.exec(output)?.[1] ?? null
}

/** The stores of a copy are whole; the head is genesis or the snapshot's block, from which the chain goes on. */
async function assertWhole(t: Test, dataDir: string): Promise<number> {
  const open = openChain({ spec: SNAPSHOT_SPEC, dataDir: copyStore(dataDir) })
  const { chain, environment, stateStore } = open
  const { problems } = checkChain({
    spec: SNAPSHOT_SPEC,
    environment,
    states: createStateChecker(SNAPSHOT_SPEC, stateStore),
    stateBlocks: 1,
  })
  t.same(problems, [])
  const { number, hashHex } = chain.head
  if (number > 0) {
    t.equal(hashHex, checkpoint.hashHex)
    for (const block of source.blocks.slice(checkpoint.number + 1)) chain.connect(block)
    t.equal(chain.head.hashHex, tip.hashHex)
  }
  await open.close()
  return number
}

t.test('killed at any instant, a snapshot synchronisation goes on and ends whole', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  t.comment(`seed ${seed}`)
  const random = createRandom(seed)
  const dataDir = testFolder(t)
  for (let kill = 0; kill < KILLS; kill += 1) {
    const point = POINTS[Math.floor(random() * POINTS.length)] ?? 'chain'
    const isAtCommit = random() < 0.5
    const nth = 1 + Math.floor(random() * COMMITS)
    const delay = Math.floor(random() * MAX_MILLISECONDS)
    const ended = await run(dataDir, isAtCommit ? point : 'none', nth, isAtCommit ? null : delay)
    const height = await assertWhole(t, dataDir)
    t.comment(`${isAtCommit ? `${point} ${nth}` : `${delay} ms`}: ${ended ?? 'killed'}, head ${height}`)
    if (ended !== null) break
  }
  t.equal(await run(dataDir, 'none', 1, null), checkpoint.hashHex)
  t.equal(await assertWhole(t, dataDir), checkpoint.number)
})

// Never behind the first commit of a run: nothing would ever be noted.
for (const point of POINTS) {
  t.test(`killed behind one commit after the other: ${point}`, async (t) => {
    const dataDir = testFolder(t)
    let ended: string | null = null
    let kills = 0
    for (; ended === null; kills += 1) ended = await run(dataDir, point, point === 'states' ? 2 : 4, null)
    t.ok(kills > 1)
    t.equal(ended, checkpoint.hashHex)
    t.equal(await assertWhole(t, dataDir), checkpoint.number)
  })
}
