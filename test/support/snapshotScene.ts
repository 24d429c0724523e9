import type { Test } from 'tap'
import type { Block } from '../../src/chain/codec/block.ts'
import type { Checkpoint } from '../../src/config/checkpoints.ts'
import { createNetworkSpec, type NetworkSpec } from '../../src/config/networkSpec.ts'
import { type OpenChain, openChain } from '../../src/execution/openChain.ts'
import { STATE_CHUNK_SPAN } from '../../src/native/stateChunks.ts'
import type { PeerRequest } from '../../src/p2p/messages/rskMessage.ts'
import { FetchedSnapshot } from '../../src/snapshot/fetchedSnapshot.ts'
import type { Halt } from '../../src/sync/halt/halt.ts'
import type { SnapRequest } from '../../src/sync/serve/answerRequest.ts'
import { SnapAnswers } from '../../src/sync/serve/snapAnswers.ts'
import { storedStates } from '../../src/sync/serve/storedStates.ts'
import type { SnapshotLimits } from '../../src/sync/snapshot/limits.ts'
import { type SnapshotEnd, SnapshotSync } from '../../src/sync/snapshot/snapshotSync.ts'
import { BlockMaker } from './blockMaker.ts'
import { FakePeer, type FakePeerOptions, type Misbehaviour, type Reply } from './fakePeer.ts'
import { REGTEST } from './openTestChain.ts'
import { LocalSyncChain } from './syncChain.ts'
import { QUICK } from './syncScene.ts'
import { testFolder } from './testFolder.ts'

/** Accounts enough for a state of several chunks. */
const ACCOUNTS = 6_000

/** Regtest with a large genesis and blocks that weigh something. */
export const SNAPSHOT_SPEC: NetworkSpec = createNetworkSpec(REGTEST, {
  genesis: {
    ...REGTEST.genesis,
    difficulty: '0x1000',
    stateRoot: null,
    accounts: Array.from({ length: ACCOUNTS }, (_, index) => ({
      address: `0x${(index + 0x1000).toString(16).padStart(40, 'ab')}`,
      balance: BigInt(index + 1),
    })),
  },
})

/** Heights of checkpoints for chains of some hundred blocks. */
export const CHECKPOINTS = { step: 100, distance: 40 }

/** Short times and distances, so that a test waits for nothing. */
export const QUICK_SNAPSHOT: Partial<SnapshotLimits> = {
  distance: 100,
  requestTimeout: 200,
  bulkTimeout: 200,
  headersPerSave: 32,
  rest: 20,
}

/** A chain that states are given of. */
export class SnapshotSource {
  readonly maker: BlockMaker
  /** The canonical chain, genesis first. */
  blocks: Block[]
  readonly #answer: ReturnType<typeof servedBy>

  constructor(t: Test, spec: NetworkSpec = SNAPSHOT_SPEC) {
    this.maker = new BlockMaker(t, spec, true)
    this.blocks = [this.maker.genesis]
    this.#answer = servedBy(spec, this.maker.open)
  }

  get tip(): Block {
    return this.blocks.at(-1) as Block
  }

  /** The block whose state is offered. */
  get checkpoint(): Block {
    const best = this.tip.number
    return this.blocks[best - (best % CHECKPOINTS.step) - CHECKPOINTS.distance] as Block
  }

  /** Makes blocks, some of which name an uncle. */
  grow(count: number, options: { interval?: number; label?: string } = {}): this {
    const end = this.tip.number + count
    while (this.tip.number < end) {
      const parent = this.tip
      this.blocks.push(...this.maker.extend(parent, Math.min(20, end - parent.number), options))
      // A sibling of the next block, which one of those after it names.
      if (this.tip.number < end)
        this.maker.extend(this.blocks.at(-2) as Block, 1, { ...options, label: 'side' })
    }
    return this
  }

  peer(options: FakePeerOptions = {}): FakePeer {
    const peer = new FakePeer(this.blocks, { snap: true, ...options })
    const { misbehave } = peer
    peer.misbehave = (async (question: PeerRequest) => {
      const lie = await misbehave(question)
      if (lie !== undefined || !question.type.startsWith('snap')) return lie
      return this.answer(question as SnapRequest)
    }) as Misbehaviour
    return peer
  }

  answer(question: SnapRequest): Promise<Reply | 'silent'> {
    return this.#answer(question)
  }
}

/** Answers of a server of snapshots that has a chain. */
export function servedBy(
  spec: NetworkSpec,
  { chain, stateStore }: OpenChain,
): (question: SnapRequest) => Promise<Reply | 'silent'> {
  const { source, chunkSpan } = storedStates(stateStore)
  const answers = new SnapAnswers({
    chain: { spec, reader: chain.reader },
    states: source,
    chunkSpan,
    checkpoint: CHECKPOINTS,
  })
  return async (question) => (await answers.answer(question)) ?? 'silent'
}

/** What a {@link SnapshotScene} differs in. */
export interface SnapshotSceneOptions {
  readonly dataDir?: string
  readonly spec?: NetworkSpec
  readonly limits?: Partial<SnapshotLimits>
  readonly checkpoints?: readonly Checkpoint[]
}

/** A chain of genesis alone that is to begin with a snapshot. */
export class SnapshotScene {
  readonly open: OpenChain
  readonly chain: LocalSyncChain
  readonly store: FetchedSnapshot
  readonly sync: SnapshotSync
  readonly peers: FakePeer[] = []
  readonly halts: (Halt | null)[] = []
  #closed = false

  constructor(t: Test, options: SnapshotSceneOptions = {}) {
    const { dataDir = testFolder(t), spec = SNAPSHOT_SPEC, limits = {}, checkpoints = [] } = options
    this.open = openChain({ spec, dataDir })
    this.chain = new LocalSyncChain(spec, this.open)
    this.store = new FetchedSnapshot({ ...this.open, spec, assertWritable: () => undefined })
    this.sync = new SnapshotSync({
      chain: this.chain,
      store: this.store,
      peers: this,
      checkpoints,
      limits: { ...QUICK_SNAPSHOT, ...limits },
      choice: QUICK,
      now: () => Math.floor(performance.now()),
      onHalt: (halt) => this.halts.push(halt),
    })
    t.teardown(() => this.close())
  }

  add(peer: FakePeer): FakePeer {
    this.peers.push(peer)
    peer.onGone = () => {
      this.peers.splice(this.peers.indexOf(peer), 1)
      this.sync.onPeerGone(peer)
    }
    this.sync.onPeer()
    return peer
  }

  async run(): Promise<SnapshotEnd> {
    // The waits of synchronisation keep no process.
    const alive = setInterval(() => undefined, 1_000)
    try {
      return await this.sync.run()
    } finally {
      clearInterval(alive)
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.sync.stop()
    await this.open.close()
  }
}

/** Chunks of a state. */
export function chunksOf(size: number): number {
  return Math.ceil(size / STATE_CHUNK_SPAN)
}
