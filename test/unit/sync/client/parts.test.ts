import t from 'tap'
import type { CheckedHeader } from '../../../../src/sync/client/branch.ts'
import { BranchBudget } from '../../../../src/sync/client/branchBudget.ts'
import { Checkpoints } from '../../../../src/sync/client/checkpointCheck.ts'
import { findConnectionPoint } from '../../../../src/sync/client/connectionPoint.ts'
import { DownloadWindow } from '../../../../src/sync/client/downloadWindow.ts'
import { DEFAULT_SYNC_LIMITS } from '../../../../src/sync/client/limits.ts'
import { PeerChoice } from '../../../../src/sync/client/peerChoice.ts'
import { RefusedBranches } from '../../../../src/sync/client/refusedBranches.ts'
import { planChunks } from '../../../../src/sync/client/skeleton.ts'
import { SyncStatsCollector } from '../../../../src/sync/client/syncStats.ts'
import { WantedBlocks } from '../../../../src/sync/client/wantedBlocks.ts'
import { BlockMaker } from '../../../support/blockMaker.ts'
import { FakePeer } from '../../../support/fakePeer.ts'
import { WEIGHTY } from '../../../support/syncScene.ts'

const maker = new BlockMaker(t, WEIGHTY)
const chain = [maker.genesis, ...maker.forgeMany(maker.genesis, 60)]
const hashOf = (number: number) => Buffer.alloc(32, number)
const checked = (number: number): CheckedHeader => ({
  number,
  hash: hashOf(number),
  encoded: Buffer.alloc(10),
  weight: 1n,
  work: 1n,
})

t.test('the connection point of every fork', async (t) => {
  for (let fork = 0; fork <= 60; fork += 1) {
    const branch = maker.forgeMany(chain[fork] as (typeof chain)[0], 10, 11)
    const peer = new FakePeer([...chain.slice(0, fork + 1), ...branch])
    const point = await findConnectionPoint({
      peer,
      reader: {
        hashByNumber: (number) => chain[number]?.hash ?? null,
        history: () => ({ firstBlock: 0, firstReceipts: 0, firstState: 0 }),
      },
      best: 60,
      peerBest: fork + 10,
      timeout: 100,
      signal: new AbortController().signal,
    })
    t.same(point, { number: fork, hash: chain[fork]?.hash })
    t.ok(peer.count('blockHashRequest') <= 12)
  }
})

t.test('a branch below the first kept block has no connection point', async (t) => {
  const peer = new FakePeer([
    ...chain.slice(0, 10),
    ...maker.forgeMany(chain[9] as (typeof chain)[0], 60, 11),
  ])
  const reader = {
    hashByNumber: (number: number) => (number >= 20 ? (chain[number]?.hash ?? null) : null),
    history: () => ({ firstBlock: 20, firstReceipts: 20, firstState: 20 }),
  }
  const { signal } = new AbortController()
  const point = await findConnectionPoint({ peer, reader, best: 60, peerBest: 69, timeout: 100, signal })
  t.equal(point, null)
})

t.test('chunks of skeletons', (t) => {
  const at = (...numbers: number[]) => numbers.map((number) => ({ number, hash: hashOf(number % 250) }))
  const known = (number: number) => (number <= 200 ? hashOf(number % 250) : null)
  t.same(planChunks(at(192, 384, 400), 200, known), [
    { hash: hashOf(384 % 250), number: 384, count: 184 },
    { hash: hashOf(400 % 250), number: 400, count: 16 },
  ])
  t.same(planChunks(at(192, 200), 200, known), [])
  t.equal(planChunks(at(384, 400), 200, known), null, 'begins above the block that was named')
  t.equal(planChunks(at(192), 200, known), null)
  t.equal(planChunks(at(192, 385), 200, known), null, 'a step too far')
  t.equal(planChunks(at(192, 192), 200, known), null)
  t.equal(planChunks(at(...Array.from({ length: 65 }, (_, index) => index)), 200, known), null)
  t.equal(planChunks([{ number: 192, hash: hashOf(1) }, ...at(384)], 200, known), 'fork')
  t.end()
})

t.test('a window asks for no more bytes than it may hold, and always for the lowest block', (t) => {
  const window = new DownloadWindow(10_000)
  const peer = new FakePeer(chain)
  window.add([1, 2, 3, 4, 5].map(checked))
  const run = window.nextRun(100, () => true)
  t.same(
    run.map(({ header }) => header.number),
    [1, 2],
    'blocks are guessed to have 4,096 bytes',
  )
  window.ask(run, peer, 0)
  t.same(
    window.nextRun(100, () => true),
    [],
  )
  for (const slot of run) window.answer(slot, peer, Buffer.alloc(6000))
  t.equal(window.bytes, 12_000)
  t.same(
    window.nextRun(100, () => true),
    [],
  )
  t.notOk(window.hasReady(3))
  t.equal(window.takeReady(10, 6000).length, 1, 'commits are bounded in bytes')
  t.equal(window.takeReady(10, 6000).length, 1)
  t.equal(window.size, 3)
  const small = new DownloadWindow(1)
  small.add([1, 2].map(checked))
  t.equal(small.nextRun(100, () => true).length, 1)
  t.end()
})

t.test('what a peer did not give is wanted again, of others', (t) => {
  const window = new DownloadWindow(1 << 20)
  const [one, two] = [new FakePeer(chain), new FakePeer(chain)]
  window.add([checked(1)])
  const [slot] = window.nextRun(1, () => true)
  if (slot === undefined) throw new Error('no slot')
  window.ask([slot], one, 0)
  window.answer(slot, one, null)
  t.same(
    window.nextRun(1, ({ tried }) => !tried.has(one)),
    [],
  )
  t.same(
    window.nextRun(1, ({ tried }) => !tried.has(two)),
    [slot],
  )
  t.end()
})

t.test('budgets and refused blocks forget the oldest, not the limits', (t) => {
  let now = 0
  const budget = new BranchBudget({ sideBytesPerGroup: 100, sideBytes: 1500 }, () => now)
  t.ok(budget.allows('10.0.0.1', 100))
  budget.charge('10.0.0.1', 100)
  t.notOk(budget.allows('10.0.255.9', 1))
  t.ok(budget.allows('10.1.0.1', 100))
  for (let group = 0; group < 1400; group += 1) budget.charge(`${10 + (group >> 8)}.${group & 255}.0.1`, 1)
  t.notOk(budget.allows('200.1.0.1', 1), 'the sum stands although blocks of addresses were forgotten')
  now += 25 * 60 * 60 * 1000
  t.ok(budget.allows('10.0.0.1', 100))
  const refused = new RefusedBranches()
  const refusal = (number: number) =>
    ({ number, hash: hashOf(number), rule: 'stateRoot', expected: '', found: '' }) as const
  for (let number = 0; number < 70; number += 1) refused.add(refusal(number))
  t.equal(refused.find(hashOf(5)), null)
  t.same(refused.find(hashOf(69)), refusal(69))
  t.equal(refused.insist(hashOf(5), { id: 'a', address: '10.0.0.1', trusted: false }), 0)
  t.end()
})

t.test('the first choice waits for peers, the next ones do not', (t) => {
  let now = 1_000
  const options = { limits: DEFAULT_SYNC_LIMITS, now: () => now, isStatic: () => false }
  const peers = [1, 2, 3, 4, 5].map((claims) => new FakePeer(chain, { claims: BigInt(claims) }))
  for (const peer of peers) peer.status = peer.status && { ...peer.status, receivedAt: now }
  const one = new PeerChoice(options)
  t.notOk(one.canDecide([]))
  t.notOk(one.canDecide(peers.slice(0, 1)))
  now += DEFAULT_SYNC_LIMITS.waitForPeers
  t.ok(one.canDecide(peers.slice(0, 1)))
  t.ok(new PeerChoice(options).canDecide(peers))
  t.ok(new PeerChoice({ ...options, isStatic: () => true }).canDecide(peers.slice(0, 1)))
  t.same(one.better(peers, 3n), [peers[4], peers[3]])
  one.failed(peers[4] as FakePeer)
  t.same(one.better(peers, 3n), [peers[3]])
  now += DEFAULT_SYNC_LIMITS.failureRest
  t.same(one.better(peers, 3n), [peers[3], peers[4]], 'who failed comes last')
  one.failed(peers[4] as FakePeer)
  now += DEFAULT_SYNC_LIMITS.failureRest
  t.same(one.better(peers, 3n), [peers[3]], 'and rests longer each time')
  now += DEFAULT_SYNC_LIMITS.statusAge
  t.same(one.better(peers, 3n), [], 'an old status is none')
  t.end()
})

t.test('single blocks that were asked for: bounded, and of the next one after silence', (t) => {
  let now = 0
  const wanted = new WantedBlocks(() => now)
  const [one, two] = [new FakePeer(chain), new FakePeer(chain)]
  for (let number = 0; number < 100; number += 1) wanted.ask(one, hashOf(number))
  t.equal(one.sent.length, 64)
  wanted.ask(two, hashOf(3))
  now += 5_000
  wanted.tick()
  t.same(
    two.sent.map((message) => message.type === 'getBlock' && message.hash),
    [hashOf(3)],
  )
  t.equal(one.scores.filter((event) => event === 'timeoutMessage').length, 64)
  t.notOk(wanted.has(hashOf(4)))
  wanted.peerGone(two)
  t.notOk(wanted.has(hashOf(3)))
  t.end()
})

t.test('rates, the rest and the end of synchronisation', (t) => {
  let now = 0
  const progress = new SyncStatsCollector(() => now)
  progress.stage = 'blocks'
  progress.startingBlock = 10
  progress.highestBlock = 1000
  now = 10_000
  progress.headers(500, 1000)
  progress.blocks(100)
  const { syncing, headersPerSecond, blocksPerSecond, secondsLeft, currentBlock } = progress.stats(110)
  t.same(
    { syncing, headersPerSecond, blocksPerSecond, secondsLeft, currentBlock },
    { syncing: true, headersPerSecond: 50, blocksPerSecond: 10, secondsLeft: 89, currentBlock: 110 },
  )
  now = 60_000
  t.equal(progress.stats(110).blocksPerSecond, 0)
  t.equal(progress.stats(110).secondsLeft, null)
  progress.stage = 'following'
  t.equal(progress.stats(1000).syncing, false)
  now = 100_000
  progress.stage = 'blocks'
  now = 102_000
  progress.blocks(100)
  t.equal(progress.stats(210).blocksPerSecond, 50, 'what was not work does not count')
  progress.stage = 'headers'
  progress.stage = 'blocks'
  now = 105_000
  t.equal(progress.stats(210).blocksPerSecond, 20, 'the next branch goes on with the rate of the last')
  t.end()
})

t.test('checkpoints', (t) => {
  const checkpoints = new Checkpoints([
    { number: 20, hash: hashOf(20) },
    { number: 10, hash: hashOf(10) },
  ])
  t.ok(checkpoints.contradicts(10, hashOf(11)))
  t.notOk(checkpoints.contradicts(10, hashOf(10)))
  t.notOk(checkpoints.contradicts(11, hashOf(10)))
  t.equal(checkpoints.highestWithin(0, 15)?.number, 10)
  t.equal(checkpoints.highestWithin(0, 25)?.number, 20)
  t.equal(checkpoints.highestWithin(10, 15), null)
  t.end()
})
