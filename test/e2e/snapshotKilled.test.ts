import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openChain } from '../../src/execution/openChain.ts'
import { stateRootAfter } from '../../src/state/stateRoot.ts'
import { readRestoreMarker } from '../../src/storage/restoreMarker.ts'
import { runCommand, startCommand } from '../support/cli.ts'
import { serveFiles } from '../support/fileServer.ts'
import { openTestChain, REGTEST } from '../support/openTestChain.ts'
import { runInProcess } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { makeRecordedSnapshot } from '../support/recordedSnapshot.ts'

/** Kills of one restore. */
const KILLS = Number(process.env['SNAPSHOT_KILLS'] ?? 6)

t.test('a restore that is killed at random instants goes on and is whole', async (t) => {
  const seed = Number(process.env['SNAPSHOT_SEED'] ?? Date.now() % 1_000_000)
  t.comment(`SNAPSHOT_SEED=${seed}`)
  const random = createRandom(seed)
  const folder = t.testdir()
  const { source, snapshot, manifest } = await makeRecordedSnapshot(folder)
  t.ok(manifest.chunks.length > 40, `${manifest.chunks.length} chunks`)
  let chunks = 0
  const server = await serveFiles(t, snapshot, {
    before: async (file) => {
      if (file.endsWith('.zst')) chunks += 1
      await sleep(5)
    },
  })
  const dataDir = join(folder, 'data')
  const words = ['snapshot', 'restore', server.url, '--unsigned', '--data-dir', dataDir]
  for (let kill = 0; kill < KILLS; kill += 1) {
    const restore = startCommand(words)
    const before = chunks
    // A share of what is left, so that every kill comes to its turn.
    const share = (manifest.chunks.length - 1) / KILLS
    const wanted = before + Math.floor(random() * share)
    while (chunks <= wanted && restore.isRunning()) await sleep(1)
    await sleep(random() * 15)
    restore.kill('SIGKILL')
    const { code, signal, stderr } = await restore.done
    t.equal(signal, 'SIGKILL', `killed ${chunks - before} chunks on; it ended with ${code} ${stderr}`)
    if (readRestoreMarker(dataDir) !== null) {
      t.throws(() => openChain({ spec: REGTEST, dataDir }), { code: 'STORAGE_UNFINISHED' })
    }
  }
  t.ok(chunks > 0)
  const last = await runCommand(words)
  t.match(last, { code: 0, stdout: /went on and restored into/ }, last.stderr)
  t.ok(
    chunks < manifest.chunks.length * 3,
    `${chunks} chunks were asked for: it did not begin anew each time`,
  )
  const check = await runInProcess(['check', '--data-dir', dataDir, '--full'])
  t.equal(check.code, 0, check.stdout + check.stderr)
  sameChain(t, source, dataDir)
})

/** Both directories hold the same blocks, receipts and states at every height. */
function sameChain(t: Test, one: string, other: string): void {
  const [expected, found] = [one, other].map((dataDir) => openTestChain(t, { spec: REGTEST, dataDir })) as [
    ReturnType<typeof openTestChain>,
    ReturnType<typeof openTestChain>,
  ]
  t.equal(found.chain.head.hashHex, expected.chain.head.hashHex)
  for (let number = 0; number <= expected.chain.head.number; number += 1) {
    const at = expected.chain.reader.blocksAt(number)
    t.same(found.chain.reader.blocksAt(number), at, `blocks at ${number}`)
    for (const { hash } of at) {
      const block = { number, hash }
      t.same(found.chain.reader.storedReceipts(block), expected.chain.reader.storedReceipts(block))
      t.equal(found.chain.reader.totalDifficulty(hash), expected.chain.reader.totalDifficulty(hash))
    }
    const header = expected.chain.reader.headerByNumber(number)
    if (header === null) throw new Error(`no block ${number}`)
    found.stateStore.checkRoot(stateRootAfter(REGTEST, found.stateStore, header))
  }
}
