import t from 'tap'
import { readSnapshotSyncState } from '../../../../src/chain/tables/snapshotSyncState.ts'
import { SnapshotScene, SnapshotSource } from '../../../support/snapshotScene.ts'
import { until } from '../../../support/syncScene.ts'
import { testFolder } from '../../../support/testFolder.ts'

const source = new SnapshotSource(t).grow(260)
const { checkpoint } = source

t.test('what was fetched before a stop is not fetched again', async (t) => {
  const dataDir = testFolder(t)
  const first = new SnapshotScene(t, { dataDir })
  let chunks = 0
  first.add(
    source.peer({
      misbehave: ({ type }) => {
        if (type === 'snapStateChunkRequest') chunks += 1
        return type === 'snapBlocksRequest' ? 'silent' : undefined
      },
    }),
  )
  const running = first.run()
  await until(() => first.sync.stats.stage === 'blocks')
  first.sync.stop()
  t.equal(await running, 'stopped')
  t.ok(chunks > 3)
  await first.close()

  const second = new SnapshotScene(t, { dataDir })
  const { target, state } = readSnapshotSyncState(second.open.environment)
  t.equal(target?.number, checkpoint.number)
  t.same(state, { saved: null })
  const peer = second.add(source.peer())
  t.equal(await second.run(), 'adopted')
  t.equal(peer.count('blockHeadersRequest'), 0)
  t.equal(peer.count('snapStateChunkRequest'), 0)
  t.equal(second.open.chain.head.hashHex, checkpoint.hashHex)
  t.same(readSnapshotSyncState(second.open.environment), {
    headers: null,
    target: null,
    state: null,
    blocks: null,
  })
})

t.test('headers go on from where they were kept', async (t) => {
  const dataDir = testFolder(t)
  const first = new SnapshotScene(t, { dataDir })
  const peer = source.peer({
    misbehave: (question) => {
      if (question.type !== 'bodyRequest') return undefined
      const block = source.blocks.find(({ hash }) => hash.equals(question.hash))
      return (block?.number ?? 0) > 100 ? 'silent' : undefined
    },
  })
  first.add(peer)
  const running = first.run()
  await until(() => first.sync.stats.snapshot?.reason?.includes('headers') === true)
  first.sync.stop()
  await running
  await first.close()

  const second = new SnapshotScene(t, { dataDir })
  const bodies: number[] = []
  second.add(
    source.peer({
      misbehave: (question) => {
        if (question.type !== 'bodyRequest') return undefined
        bodies.push(source.blocks.find(({ hash }) => hash.equals(question.hash))?.number ?? -1)
        return undefined
      },
    }),
  )
  t.equal(await second.run(), 'adopted')
  t.ok(bodies.length > 0)
  t.ok(
    bodies.every((number) => number > 60),
    `bodies of ${bodies.join()}`,
  )
})

t.test('a state that nobody gives any more makes way for that of a newer block', async (t) => {
  const growing = new SnapshotSource(t).grow(260)
  const scene = new SnapshotScene(t)
  const old = growing.checkpoint
  let isGone = false
  const peer = scene.add(
    growing.peer({
      misbehave: (question) => {
        if (question.type !== 'snapStateChunkRequest' || question.blockNumber !== old.number) return undefined
        if (question.from > 0) isGone = true
        return isGone ? 'silent' : undefined
      },
    }),
  )
  const running = scene.run()
  await until(() => isGone)
  growing.grow(100)
  peer.follow(growing.blocks)
  t.equal(await running, 'adopted')
  t.equal(scene.open.chain.head.hashHex, growing.checkpoint.hashHex)
  t.not(growing.checkpoint.number, old.number)
  t.equal(
    scene.open.chain.reader.totalDifficulty(growing.checkpoint.hash),
    growing.maker.open.chain.reader.totalDifficulty(growing.checkpoint.hash),
  )
})
