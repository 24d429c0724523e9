import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openChain } from '../../src/execution/openChain.ts'
import { FolderSource } from '../../src/snapshot/folderSource.ts'
import { restoreSnapshot } from '../../src/snapshot/restoreSnapshot.ts'
import { readRestoreMarker } from '../../src/storage/restoreMarker.ts'
import { REGTEST } from '../support/openTestChain.ts'
import { runInProcess } from '../support/program.ts'
import { importRecordedChain } from '../support/recordedDataDir.ts'
import { makeSnapshot } from '../support/snapshots.ts'
import { testFolder } from '../support/testFolder.ts'
import { killBetween } from './killBetween.ts'

/** Some chunks of blocks. */
const BLOCK_CHUNK_BYTES = 65_536

t.setTimeout(900_000)

function restore(snapshot: string, dataDir: string) {
  return restoreSnapshot({
    spec: REGTEST,
    dataDir,
    source: new FolderSource(snapshot),
    trust: { kind: 'anyone' },
  })
}

async function assertWhole(t: Test, dataDir: string, head: string): Promise<void> {
  t.equal(readRestoreMarker(dataDir), null)
  const check = await runInProcess(['check', '--full', '--data-dir', dataDir])
  t.equal(check.code, 0, check.stdout + check.stderr)
  const opened = openChain({ spec: REGTEST, dataDir })
  t.equal(opened.chain.head.hashHex, head)
  await opened.close()
}

for (const full of [false, true]) {
  t.test(
    `a restore of ${full ? 'all states' : 'one state'} that is killed at any of its commits goes on`,
    { timeout: 900_000 },
    async (t) => {
      const folder = testFolder(t)
      const source = join(folder, 'source')
      await importRecordedChain(source)
      const snapshot = join(folder, 'snapshot')
      const { manifest } = await makeSnapshot({
        spec: REGTEST,
        dataDir: source,
        folder: snapshot,
        full,
        blockChunkBytes: BLOCK_CHUNK_BYTES,
      })
      const chunks = (kind: string) => manifest.chunks.filter((chunk) => chunk.kind === kind).length
      // Every chunk of blocks and the end are in both stores, the format is in the chain store alone.
      const commits = {
        taken: chunks('state'),
        states: chunks('blocks') + 1,
        chain: chunks('blocks') + 2,
      }
      t.ok(chunks('blocks') > 1, `${chunks('blocks')} chunks of blocks`)
      for (const point of ['taken', 'states', 'chain'] as const) {
        for (let nth = 1; nth <= commits[point]; nth += 1) {
          await t.test(`killed behind commit ${nth} of ${commits[point]}: ${point}`, async (t) => {
            const dataDir = join(testFolder(t), 'data')
            t.equal(killBetween(dataDir, 'restore', { point, nth, snapshot }), 'SIGKILL')
            t.throws(() => openChain({ spec: REGTEST, dataDir }), { code: 'STORAGE_UNFINISHED' })
            const check = await runInProcess(['check', '--data-dir', dataDir])
            t.match(check, { stderr: /not wholly restored/ })
            t.not(check.code, 0)
            t.match(await restore(snapshot, dataDir), { resumed: true })
            await assertWhole(t, dataDir, manifest.block.hash)
          })
        }
      }
      await t.test('killed twice where both stores get their end', async (t) => {
        const dataDir = join(testFolder(t), 'data')
        t.equal(
          killBetween(dataDir, 'restore', { point: 'states', nth: commits.states, snapshot }),
          'SIGKILL',
        )
        t.equal(killBetween(dataDir, 'restore', { point: 'states', nth: 1, snapshot }), 'SIGKILL')
        await restore(snapshot, dataDir)
        await assertWhole(t, dataDir, manifest.block.hash)
      })
    },
  )
}
