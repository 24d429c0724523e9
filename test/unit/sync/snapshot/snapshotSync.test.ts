import t, { type Test } from 'tap'
import { checkChain } from '../../../../src/chain/check/checkChain.ts'
import { createStateChecker } from '../../../../src/execution/stateChecker.ts'
import { stateSize } from '../../../../src/native/stateChunks.ts'
import { SNAPSHOT_SPEC, SnapshotScene, SnapshotSource } from '../../../support/snapshotScene.ts'

const source = new SnapshotSource(t).grow(260)
const { checkpoint, tip } = source
const { chain: served, stateStore } = source.maker.open

/** The chain ends on the snapshot's block as the server has it, and goes on with the server's next blocks. */
function assertAdopted(t: Test, { open }: SnapshotScene): void {
  const { chain } = open
  t.equal(chain.head.hashHex, checkpoint.hashHex)
  t.equal(chain.reader.totalDifficulty(checkpoint.hash), served.reader.totalDifficulty(checkpoint.hash))
  const size = stateSize(stateStore, checkpoint.header.fields.stateRoot)
  t.equal(stateSize(open.stateStore, checkpoint.header.fields.stateRoot), size)
  const report = checkChain({
    spec: SNAPSHOT_SPEC,
    environment: open.environment,
    stateBlocks: 1,
    full: true,
    states: createStateChecker(SNAPSHOT_SPEC, open.stateStore),
  })
  t.same(report.problems, [])
  for (const block of source.blocks.slice(checkpoint.number + 1))
    t.equal(chain.connect(block).status, 'IMPORTED_BEST')
  t.equal(chain.head.hashHex, tip.hashHex)
}

t.test('a chain begins with the state of the checkpoint and goes on from there', async (t) => {
  const scene = new SnapshotScene(t)
  const peers = [scene.add(source.peer()), scene.add(source.peer())]
  t.equal(await scene.run(), 'adopted')
  for (const peer of peers) {
    t.ok(peer.count('snapStateChunkRequest') > 0)
    t.same(peer.scores, [])
  }
  t.ok(source.blocks.some(({ uncles }) => uncles.length > 0))
  assertAdopted(t, scene)
})
