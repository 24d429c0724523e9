import { randomBytes } from 'node:crypto'
import { MessageChannel } from 'node:worker_threads'
import t, { type Test } from 'tap'
import {
  readSnapshotSyncState,
  writeSnapshotSyncState,
} from '../../../../src/chain/tables/snapshotSyncState.ts'
import type { OpenChain } from '../../../../src/execution/openChain.ts'
import { openPeerNode, type PeerNode, type PeerNodeParts } from '../../../../src/node/peers/peerNode.ts'
import { createNodeKey } from '../../../../src/p2p/wire/curve.ts'
import { FetchedSnapshot } from '../../../../src/snapshot/fetchedSnapshot.ts'
import { storedStates } from '../../../../src/sync/serve/storedStates.ts'
import { linkSnapshotStore } from '../../../../src/sync/snapshot/linkedSnapshotStore.ts'
import { serveSnapshotStore } from '../../../../src/sync/snapshot/serveSnapshotStore.ts'
import { openTestChain } from '../../../support/openTestChain.ts'
import { SILENT_LOG } from '../../../support/peerScene.ts'
import { CHECKPOINTS, SNAPSHOT_SPEC, SnapshotSource } from '../../../support/snapshotScene.ts'
import { LocalSyncChain } from '../../../support/syncChain.ts'
import { until } from '../../../support/syncScene.ts'

const source = new SnapshotSource(t).grow(260)
const { tip, checkpoint } = source

async function open(t: Test, chain: OpenChain, parts: Partial<PeerNodeParts>, syncMode: 'full' | 'snapshot') {
  const key = createNodeKey(randomBytes)
  const node = await openPeerNode({
    options: {
      dataDir: '',
      client: 'whole',
      host: '127.0.0.1',
      port: 0,
      listens: true,
      address: null,
      discovery: false,
      statics: [],
      trusted: [],
      maxPeers: 30,
      memoryBytes: 256 * 1024 * 1024,
      expectedPeers: 1,
      checkpoints: [],
      snapshotServer: parts.states !== undefined,
      syncMode,
      backfill: false,
    },
    key,
    chain: new LocalSyncChain(SNAPSHOT_SPEC, chain),
    states: null,
    statics: [],
    log: SILENT_LOG,
    onHalt: () => undefined,
    ...parts,
  })
  t.teardown(() => node.close())
  return { node, place: { id: key.id.toString('hex'), address: '127.0.0.1', port: node.port } }
}

/** A node whose snapshot goes through a port, as between threads. */
async function openClient(t: Test, place: PeerNodeParts['statics'][number], syncMode: 'full' | 'snapshot') {
  const chain = openTestChain(t, { spec: SNAPSHOT_SPEC })
  const { port1, port2 } = new MessageChannel()
  const fetched = new FetchedSnapshot({ ...chain, spec: SNAPSHOT_SPEC, assertWritable: () => undefined })
  serveSnapshotStore(port1, fetched)
  t.teardown(() => port1.close())
  const begin = async (): Promise<PeerNode> => {
    const snapshots = linkSnapshotStore(port2)
    const { node } = await open(
      t,
      chain,
      { snapshots, snapshotLimits: { distance: 100 }, statics: [place] },
      syncMode,
    )
    return node
  }
  return { chain, begin }
}

t.test('a node begins with the state that another gives over a connection, and follows it', async (t) => {
  const states = { ...storedStates(source.maker.open.stateStore), checkpoint: CHECKPOINTS }
  const server = await open(t, source.maker.open, { states }, 'full')
  const { chain, begin } = await openClient(t, server.place, 'snapshot')
  const heads: number[] = []
  chain.chain.onHead(({ head }) => heads.push(head.number))
  const node = await begin()
  const stages = new Set<string>()
  await until(() => {
    const { sync } = node.report()
    if (sync.snapshot !== undefined) stages.add(sync.stage)
    return chain.chain.head.hash.equals(tip.hash)
  })
  t.equal(heads[0], checkpoint.number)
  t.ok(stages.has('headers'))
  await until(() => node.report().sync.stage === 'following')
  t.equal(node.report().sync.snapshot, undefined)
  t.equal(
    chain.chain.reader.totalDifficulty(tip.hash),
    source.maker.open.chain.reader.totalDifficulty(tip.hash),
  )
})

t.test('a node that executes all blocks forgets what it had of a snapshot', async (t) => {
  const server = await open(t, source.maker.open, {}, 'full')
  const { chain, begin } = await openClient(t, server.place, 'full')
  chain.environment.transaction((writer) =>
    writeSnapshotSyncState(writer, { headers: Buffer.from('c0', 'hex') }),
  )
  await begin()
  await until(() => chain.chain.head.hash.equals(tip.hash))
  t.equal(readSnapshotSyncState(chain.environment).headers, null)
  t.equal(chain.chain.reader.history().firstBlock, 0)
})
