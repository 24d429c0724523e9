import t from 'tap'
import type { MiningWork } from '../../src/mining/interface.ts'
import { WorkFeed } from '../../src/mining/workFeed.ts'

const HEADS = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const

function work(name: number, parentHash: Buffer, notify = true): MiningWork {
  return {
    serial: name,
    hashForMergedMining: Buffer.alloc(32, name),
    target: Buffer.alloc(32),
    fees: 0n,
    notify,
    parentHash,
    timestamp: 0,
  }
}

function openFeed() {
  const state = { now: 0, asked: 0, answer: work(1, HEADS[0]) }
  const feed = new WorkFeed({
    freshTime: 60_000,
    now: () => state.now,
    ask: async () => {
      state.asked += 1
      return state.answer
    },
  })
  return { feed, state }
}

t.test('work is asked for once and then read without a hop', async (t) => {
  const { feed, state } = openFeed()
  t.match(await feed.read(), { hashForMergedMining: Buffer.alloc(32, 1), notify: true })
  t.match(await feed.read(), { notify: false })
  t.equal(state.asked, 1)
  feed.push(work(2, HEADS[1]))
  feed.headChanged(HEADS[1])
  t.match(await feed.read(), { hashForMergedMining: Buffer.alloc(32, 2), notify: true })
  t.equal(state.asked, 1, 'it came by itself')
  feed.headChanged(HEADS[0])
  state.answer = work(3, HEADS[0])
  t.match(await feed.read(), { hashForMergedMining: Buffer.alloc(32, 3), notify: true })
  t.equal(state.asked, 2, 'a head without work of its own')
  feed.headChanged(null)
  state.answer = work(4, HEADS[0], false)
  t.match(await feed.read(), { hashForMergedMining: Buffer.alloc(32, 4), notify: false }, 'another state')
})

t.test('what nobody has read stays to be told', async (t) => {
  const { feed } = openFeed()
  feed.push(work(1, HEADS[0]))
  feed.push(work(2, HEADS[0], false))
  t.match(await feed.read(), { hashForMergedMining: Buffer.alloc(32, 2), notify: true })
  feed.push(work(3, HEADS[0], false))
  t.match(await feed.read(), { notify: false })
  feed.push(work(2, HEADS[0]))
  t.match(await feed.read(), { hashForMergedMining: Buffer.alloc(32, 3), notify: false }, 'overtaken')
})

t.test('interest is renewed while there are readers', async (t) => {
  const { feed, state } = openFeed()
  await feed.read()
  for (state.now = 0; state.now < 300_000; state.now += 1000) {
    if (state.now % 30_000 === 0) feed.push(work(2 + state.now / 1000, HEADS[0], false))
    await feed.read()
  }
  t.ok(state.asked >= 5 && state.asked <= 12, `asked ${state.asked} times in five minutes`)
  state.now += 60_000
  const before = state.asked
  await feed.read()
  t.equal(state.asked, before + 1, 'old work is not handed out unasked')
  feed.keepAwake()
  t.equal(state.asked, before + 1)
  state.now += 60_000
  feed.keepAwake()
  t.equal(state.asked, before + 2)
})
