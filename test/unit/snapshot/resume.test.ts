import { join } from 'node:path'
import t from 'tap'
import { openChain } from '../../../src/execution/openChain.ts'
import { SnapshotError } from '../../../src/snapshot/errors.ts'
import { FolderSource } from '../../../src/snapshot/folderSource.ts'
import type { ChunkEntry } from '../../../src/snapshot/manifest.ts'
import { restoreSnapshot } from '../../../src/snapshot/restoreSnapshot.ts'
import type { SnapshotSource } from '../../../src/snapshot/source.ts'
import { stateRootAfter } from '../../../src/state/stateRoot.ts'
import { openTestChain } from '../../support/openTestChain.ts'
import { makeSnapshot, openWith, readRewardChain } from '../../support/snapshots.ts'

const { spec, blocks } = readRewardChain('remasc-history')
const trust = { kind: 'anyone' } as const

/** A source that fails at its nth chunk. */
function failingAt(folder: string, count: number): SnapshotSource {
  const source = new FolderSource(folder)
  let given = 0
  return {
    name: source.name,
    manifest: () => source.manifest(),
    signatures: () => source.signatures(),
    chunk: (entry: ChunkEntry) => {
      if (given === count) throw new SnapshotError('SNAPSHOT_SOURCE', 'the line is cut')
      given += 1
      return source.chunk(entry)
    },
  }
}

t.test('a restore that ends at any chunk goes on, and the whole archive has every state', async (t) => {
  const folder = t.testdir()
  const original = openWith(t, spec, blocks.slice(0, 150), folder)
  const snapshot = join(folder, 'snapshot')
  const { manifest } = await makeSnapshot({ spec, dataDir: original.dataDir, folder: snapshot, full: true })
  t.equal(manifest.states, 'all')
  const dataDir = join(folder, 'data')
  for (let count = 0; count < manifest.chunks.length; count += 1) {
    const source = failingAt(snapshot, count === 0 ? 0 : 1)
    await t.rejects(restoreSnapshot({ spec, trust, dataDir, source }), { message: /the line is cut/ })
    t.throws(() => openChain({ spec, dataDir }), { code: 'STORAGE_UNFINISHED' })
  }
  const { resumed } = await restoreSnapshot({ spec, trust, dataDir, source: new FolderSource(snapshot) })
  t.equal(resumed, true)
  const restored = openTestChain(t, { spec, dataDir })
  t.same(restored.chain.reader.history(), { firstBlock: 0, firstReceipts: 0, firstState: 0 })
  for (let number = 0; number <= original.chain.head.number; number += 1) {
    const header = original.chain.reader.headerByNumber(number)
    if (header === null) throw new Error(`no block ${number}`)
    restored.stateStore.checkRoot(stateRootAfter(spec, restored.stateStore, header))
    t.same(restored.chain.reader.blocksAt(number), original.chain.reader.blocksAt(number))
  }
})

t.test('a restored chain can be given again, as far as it goes', async (t) => {
  const folder = t.testdir()
  const original = openWith(t, spec, blocks.slice(0, 120), folder)
  const head = original.chain.head.number
  const first = join(folder, 'first')
  await makeSnapshot({ spec, dataDir: original.dataDir, folder: first, blocks: 40, leastBlocks: 1 })
  const dataDir = join(folder, 'data')
  await restoreSnapshot({ spec, trust, dataDir, source: new FolderSource(first) })
  const again = await makeSnapshot({
    spec,
    dataDir,
    folder: join(folder, 'again'),
    blocks: 30,
    leastBlocks: 1,
  })
  t.equal(again.manifest.first.number, head - 29)
  await t.rejects(makeSnapshot({ spec, dataDir, folder: join(folder, 'x'), blocks: 50, leastBlocks: 1 }), {
    code: 'SNAPSHOT_CHAIN',
    message: /keeps blocks from \d+ only: at most --blocks 40/,
  })
  await t.rejects(makeSnapshot({ spec, dataDir, folder: join(folder, 'y'), full: true }), {
    message: /cannot give the full archive/,
  })
  await t.rejects(makeSnapshot({ spec, dataDir, folder: join(folder, 'z'), blocks: 10 }), {
    message: /needs at least 4007/,
  })
})
