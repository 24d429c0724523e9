import { openChain } from '../../src/execution/openChain.ts'
import { FilledBlocks } from '../../src/node/filledBlocks.ts'
import { Backfill } from '../../src/sync/backfill/backfill.ts'
import { FakePeer } from '../support/fakePeer.ts'
import { LocalSyncChain } from '../support/syncChain.ts'
import { WEIGHTY } from '../support/syncScene.ts'

/** Fills in a data directory that began with a snapshot from the chain of another one, at a pace that leaves time. */
const [dataDir = '', sourceDir = ''] = process.argv.slice(2)

/** Milliseconds of each answer, and blocks of a commit: a kill at a random instant meets all of it. */
const DELAY = 4
const COMMIT_BLOCKS = 7

const source = openChain({ spec: WEIGHTY, dataDir: sourceDir })
const blocks = Array.from({ length: source.chain.head.number + 1 }, (_, number) => {
  const block = source.chain.reader.blockByNumber(number)
  if (block === null) throw new Error(`no block ${number}`)
  return block
})
const open = openChain({ spec: WEIGHTY, dataDir })
const { environment, chain } = open
const peer = new FakePeer(blocks)
peer.misbehave = async () => {
  await new Promise((resolve) => setTimeout(resolve, DELAY))
  return undefined
}
const filled = new FilledBlocks({
  spec: WEIGHTY,
  environment,
  reader: chain.reader,
  assertWritable: () => undefined,
})
const backfill = new Backfill({
  chain: new LocalSyncChain(WEIGHTY, open),
  store: {
    takeBlocks: async (taken) => {
      await filled.takeBlocks(taken)
      process.stdout.write('stored\n')
    },
  },
  peers: { peers: [peer] },
  limits: { commitBlocks: COMMIT_BLOCKS },
  isFollowing: () => true,
})
// Its own timers keep no process alive.
const alive = setInterval(() => undefined, 1_000)
process.stdout.write('begun\n')
backfill.start()
await backfill.ended()
clearInterval(alive)
process.stdout.write('ended\n')
await open.close()
await source.close()
