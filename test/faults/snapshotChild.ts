import { openChain } from '../../src/execution/openChain.ts'
import { ChunkIntake } from '../../src/native/stateChunks.ts'
import { StateStore } from '../../src/native/stateStore.ts'
import { FetchedSnapshot } from '../../src/snapshot/fetchedSnapshot.ts'
import { ChainEnvironment } from '../../src/storage/environment.ts'
import { SnapshotSync } from '../../src/sync/snapshot/snapshotSync.ts'
import { FakePeer } from '../support/fakePeer.ts'
import { QUICK_SNAPSHOT, SNAPSHOT_SPEC, servedBy } from '../support/snapshotScene.ts'
import { LocalSyncChain } from '../support/syncChain.ts'
import { QUICK } from '../support/syncScene.ts'

/**
 * Synchronises a data directory by snapshot from the chain of another one, and kills itself at a commit: `saved` behind
 * the state store's part of a note how far the state is, `states` and `chain` behind a commit of either store, `none`
 * never. Says when it begins and when it has ended.
 */
const [dataDir = '', sourceDir = '', point = '', nth = '1'] = process.argv.slice(2)

const CHUNKS_PER_SAVE = 1
/** Milliseconds of each answer, so that a kill at a random instant meets all of it. */
const DELAY = 20

let isArmed = false
let left = Number(nth)
const dieAt = (reached: string) => {
  if (!isArmed || reached !== point) return
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
}
const { commit } = StateStore.prototype
StateStore.prototype.commit = function (this: StateStore) {
  commit.call(this)
  dieAt('states')
}
const { transaction } = ChainEnvironment.prototype
ChainEnvironment.prototype.transaction = function <T>(
  this: ChainEnvironment,
  write: Parameters<typeof transaction<T>>[0],
): T {
  const result = transaction.call(this, write) as T
  dieAt('chain')
  return result
}
const { save } = ChunkIntake.prototype
ChunkIntake.prototype.save = async function (this: ChunkIntake) {
  const saved = await save.call(this)
  dieAt('saved')
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
  isArmed = true
  process.stdout.write('begun\n')
  await sync.run()
}
isArmed = false
process.stdout.write(`ended ${open.chain.head.hashHex}\n`)
await open.close()
await source.close()
