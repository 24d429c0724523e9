import { join } from 'node:path'
import type { Test } from 'tap'
import { checkChain } from '../../src/chain/check/checkChain.ts'
import type { Block } from '../../src/chain/codec/block.ts'
import type { NetworkSpec } from '../../src/config/networkSpec.ts'
import type { OpenChain } from '../../src/execution/openChain.ts'
import { createStateChecker } from '../../src/execution/stateChecker.ts'
import { FilledBlocks } from '../../src/node/filledBlocks.ts'
import { Backfill, type BackfillOptions } from '../../src/sync/backfill/backfill.ts'
import type { BackfillLimits } from '../../src/sync/backfill/limits.ts'
import type { Halt } from '../../src/sync/halt/halt.ts'
import { FakePeer, type FakePeerOptions } from './fakePeer.ts'
import { makeSnapshot, openRestored } from './snapshots.ts'
import { LocalSyncChain } from './syncChain.ts'
import { testFolder } from './testFolder.ts'

/** Short times, so that silence does not hold a test up. */
export const QUICK_BACKFILL: Partial<BackfillLimits> = {
  requestTimeout: 150,
  bodyTimeout: 150,
  secondTry: 50,
  firstRest: 20,
  longestRest: 50,
}

/** Makes a snapshot of an open chain that keeps its newest blocks. @returns its folder */
export async function cutSnapshot(
  t: Test,
  spec: NetworkSpec,
  dataDir: string,
  kept: { readonly blocks: number; readonly depth?: number },
): Promise<string> {
  const folder = join(testFolder(t), 'snapshot')
  await makeSnapshot({ spec, dataDir, folder, leastBlocks: 1, ...kept })
  return folder
}

/** A chain that began with a snapshot and is filled in below it, by peers in memory. */
export class BackfillScene {
  readonly spec: NetworkSpec
  readonly open: OpenChain
  readonly backfill: Backfill
  readonly peers: FakePeer[] = []
  readonly halts: (Halt | null)[] = []
  isFollowing = true

  constructor(t: Test, spec: NetworkSpec, open: OpenChain, options: Partial<BackfillOptions> = {}) {
    this.spec = spec
    this.open = open
    const { environment, chain } = open
    this.backfill = new Backfill({
      chain: new LocalSyncChain(spec, open),
      store: new FilledBlocks({ spec, environment, reader: chain.reader, assertWritable: () => undefined }),
      peers: this,
      now: () => Math.floor(performance.now()),
      isFollowing: () => this.isFollowing,
      onHalt: (halt) => this.halts.push(halt),
      ...options,
      limits: { ...QUICK_BACKFILL, ...options.limits },
    })
    // Its own timers keep no process alive.
    const alive = setInterval(() => undefined, 1_000)
    t.teardown(() => {
      clearInterval(alive)
      return this.backfill.close()
    })
  }

  static async restore(
    t: Test,
    spec: NetworkSpec,
    folder: string,
    options: Partial<BackfillOptions> = {},
  ): Promise<BackfillScene> {
    const open = await openRestored(t, spec, folder, join(testFolder(t), 'data'))
    return new BackfillScene(t, spec, open, options)
  }

  get firstBlock(): number {
    return this.open.chain.reader.history().firstBlock
  }

  add(chain: readonly Block[], options: FakePeerOptions = {}): FakePeer {
    const peer = new FakePeer(chain, options)
    this.peers.push(peer)
    peer.onGone = () => {
      this.peers.splice(this.peers.indexOf(peer), 1)
      this.backfill.onPeerGone(peer)
    }
    this.backfill.onPeer()
    return peer
  }

  /** Runs to its end. */
  async run(): Promise<void> {
    this.backfill.start()
    await this.backfill.ended()
  }

  /** What `rhizome check --full` finds. */
  problems(): readonly { readonly message: string }[] {
    return checkChain({
      spec: this.spec,
      environment: this.open.environment,
      stateBlocks: 1,
      full: true,
      states: createStateChecker(this.spec, this.open.stateStore),
    }).problems
  }
}

/** Compares all that is kept of blocks with another store that has them: receipts only from a height on. */
export function assertSameBlocks(
  t: Test,
  { chain: { reader } }: OpenChain,
  { chain: { reader: whole } }: OpenChain,
  firstReceipts: number,
): void {
  let differences = 0
  for (let number = 1; number <= reader.head().number; number += 1) {
    const hash = whole.hashByNumber(number) ?? Buffer.alloc(0)
    const block = { number, hash }
    const expected = [
      hash,
      whole.encodedHeader(block),
      whole.storedBody(block),
      whole.storedSenders(block),
      whole.totalDifficulty(hash),
      whole.blockByHash(hash)?.transactions.map((transaction) => whole.locateTransaction(transaction.hash)),
      number < firstReceipts ? null : whole.storedReceipts(block),
    ]
    const found = [
      reader.hashByNumber(number),
      reader.encodedHeader(block),
      reader.storedBody(block),
      reader.storedSenders(block),
      reader.totalDifficulty(hash),
      reader.blockByHash(hash)?.transactions.map((transaction) => reader.locateTransaction(transaction.hash)),
      reader.storedReceipts(block),
    ]
    if (differences === 0 && !t.same(found, expected, `block ${number}`)) differences += 1
  }
}
