import { openChain } from '../../src/execution/openChain.ts'
import { ChunkIntake } from '../../src/native/stateChunks.ts'
import { FetchedSnapshot } from '../../src/snapshot/fetchedSnapshot.ts'
import { SnapshotSync } from '../../src/sync/snapshot/snapshotSync.ts'
import { FakePeer } from '../support/fakePeer.ts'
import { QUICK_SNAPSHOT, SNAPSHOT_SPEC, servedBy } from '../support/snapshotScene.ts'
import { LocalSyncChain } from '../support/syncChain.ts'
import { QUICK } from '../support/syncScene.ts'
import { DeathAt, dieAtCommits } from './dieAtCommits.ts'

/**
 * Synchronises a data directory by snapshot from the chain of another one, and kills itself at a commit: `saved` behind
 * the state store's part of a note how far the state is, `states` and `chain` behind a commit of either store, `none`
 * never. Says when it begins and when it has ended.
 */
const [dataDir = '', sourceDir = '', point = '', nth = '1'] = process.argv.slice(2)

const CHUNKS_PER_SAVE = 1
/** Milliseconds of each answer, so that a kill at a random instant meets all of it. */
const DELAY = 20

const death = new DeathAt(point, Number(nth))
dieAtCommits(death)
const { save } = ChunkIntake.prototype
ChunkIntake.prototype.save = async function (this: ChunkIntake) {
  const saved = await save.call(this)
  death.reached('saved')
  return saved
}

const source = openChain({ spec: SNAPSHOT_SPEC, dataDir: sourceDir })
const blocks = Array.from({ length: source.chain.head.number + 1 }, (_, number) => {
  const block = source.chain.reader.blockByNumber(number)
  if (block === null) throw new Error(`no block ${number}`)
  return block
})
const answer = servedBy(SNAPSHOT_SPEC, source)
const open = openChain({ spec: SNAPSHOT_SPEC, dataDir })
if (open.chain.head.number === 0) {
  const peer = new FakePeer(blocks, { snap: true })
  peer.misbehave = (async (question) => {
    await new Promise((resolve) => setTimeout(resolve, DELAY))
    return question.type.startsWith('snap') ? answer(question as never) : undefined
  }) as typeof peer.misbehave
  const sync = new SnapshotSync({
    chain: new LocalSyncChain(SNAPSHOT_SPEC, open),
    store: new FetchedSnapshot({
      ...open,
      spec: SNAPSHOT_SPEC,
      chunksPerSave: CHUNKS_PER_SAVE,
      assertWritable: () => undefined,
    }),
    peers: { peers: [peer] },
    limits: { ...QUICK_SNAPSHOT, bulkTimeout: 10_000, requestTimeout: 10_000 },
    choice: QUICK,
  })
  death.isArmed = true
  process.stdout.write('begun\n')
  await sync.run()
}
death.isArmed = false
process.stdout.write(`ended ${open.chain.head.hashHex}\n`)
await open.close()
await source.close()
