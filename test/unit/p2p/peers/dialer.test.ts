import t from 'tap'
import { Dialer, type DialerParts } from '../../../../src/p2p/peers/dialer.ts'
import { CANDIDATE_BACK_OFF, DialHistory, STATIC_BACK_OFF } from '../../../../src/p2p/peers/dialHistory.ts'
import type { PeerAddress } from '../../../../src/p2p/peers/ports.ts'
import { untilAborted } from '../../../support/fakeTransport.ts'
import { SILENT_LOG } from '../../../support/peerScene.ts'
import { createRandom } from '../../../support/random.ts'
import { VirtualTime } from '../../../support/virtualTime.ts'

/** A node in a block of addresses of its own. */
function node(number: number, address = `10.${number}.0.1`): PeerAddress {
  return { id: number.toString(16).padStart(128, '0'), address, port: 5050 }
}

function nodes(count: number): PeerAddress[] {
  return Array.from({ length: count }, (_, index) => node(index + 1))
}

interface Scene {
  readonly time: VirtualTime
  readonly dialer: Dialer
  readonly dialled: PeerAddress[]
}

function scene(
  t: { teardown(end: () => void): void },
  differences: Partial<DialerParts> & { seed?: number } = {},
): Scene {
  const time = new VirtualTime()
  const dialled: PeerAddress[] = []
  const random = createRandom(differences.seed ?? 1)
  const { dial = (_, signal) => untilAborted(signal) } = differences
  const dialer = new Dialer({
    source: { candidates: () => [] },
    statics: () => [],
    history: new DialHistory(time, random),
    freeSlots: () => 24,
    groups: () => new Map(),
    mostPerGroup: 6,
    isAlone: () => false,
    backOff: CANDIDATE_BACK_OFF,
    isRefused: () => false,
    scheduler: time,
    random,
    log: SILENT_LOG,
    ...differences,
    dial: (target, signal) => {
      dialled.push(target)
      return dial(target, signal)
    },
  })
  t.teardown(() => dialer.stop())
  dialer.start()
  return { time, dialer, dialled }
}

t.test('at most 16 dials are open, given up after 10 s, and no more than there are places', async (t) => {
  const { time, dialer, dialled } = scene(t, { source: { candidates: () => nodes(100) } })
  await time.pass(9000)
  t.equal(dialled.length, 16)
  t.equal(dialer.stats.open, 16)
  await time.pass(4000)
  t.equal(dialled.length, 32, 'others after 10 s')
  t.equal(dialer.stats.failed, 16)
  const few = scene(t, { source: { candidates: () => nodes(100) }, freeSlots: () => 3 })
  await few.time.pass(9000)
  t.equal(few.dialled.length, 3)
  const none = scene(t, { source: { candidates: () => nodes(100) }, freeSlots: () => 0 })
  await none.time.pass(9000)
  t.equal(none.dialled.length, 0)
})

t.test('the order is one of chance', async (t) => {
  const firsts = new Set<string>()
  for (let seed = 1; seed <= 30; seed += 1) {
    const { time, dialled } = scene(t, { seed, source: { candidates: () => nodes(10) }, freeSlots: () => 1 })
    await time.pass(0)
    firsts.add(dialled[0]?.address ?? '')
  }
  t.ok(firsts.size >= 5, `${firsts.size} of 10 were first once in 30 times`)
})

t.test('no block of addresses gets more than its share, peers and open dials together', async (t) => {
  const crowd = Array.from({ length: 50 }, (_, index) => node(index + 1, `20.1.0.${index}`))
  const { time, dialled } = scene(t, {
    source: { candidates: () => [...crowd, node(99)] },
    groups: () => new Map([['20.1', 4]]),
  })
  await time.pass(3000)
  t.equal(dialled.filter(({ address }) => address.startsWith('20.1.')).length, 2)
  t.ok(dialled.some(({ address }) => address === node(99).address))
})

t.test('who is refused is not dialled', async (t) => {
  const { time, dialled } = scene(t, {
    source: { candidates: () => nodes(5) },
    statics: () => [node(9)],
    isRefused: ({ address }) => address === node(3).address || address === node(9).address,
  })
  await time.pass(0)
  t.same(
    dialled.map(({ address }) => address).sort(),
    [1, 2, 4, 5].map((number) => node(number).address),
  )
})

t.test('who was not reached is left alone for a while, longer each time', async (t) => {
  const failing = () => Promise.reject(new Error('nobody is there'))
  const found = scene(t, { source: { candidates: () => [node(1)] }, dial: failing })
  await found.time.pass(29_000)
  t.equal(found.dialled.length, 1)
  await found.time.pass(20_000)
  t.equal(found.dialled.length, 2, 'after 30 to 45 s')
  await found.time.pass(50_000)
  t.equal(found.dialled.length, 2)
  await found.time.pass(45_000)
  t.equal(found.dialled.length, 3, 'after 60 to 90 s')
})

t.test('a node without peers waits a minute at most: its own network may have failed', async (t) => {
  const failing = () => Promise.reject(new Error('nobody is there'))
  let isAlone = false
  const { time, dialled } = scene(t, {
    source: { candidates: () => [node(1)] },
    dial: failing,
    isAlone: () => isAlone,
  })
  await time.pass(3_600_000)
  const before = dialled.length
  await time.pass(600_000)
  t.ok(dialled.length - before <= 1)
  isAlone = true
  await time.pass(600_000)
  t.ok(dialled.length - before >= 8, `${dialled.length - before} times in 10 minutes`)
})

t.test('static peers are dialled for ever, whatever places there are', async (t) => {
  const failing = () => Promise.reject(new Error('nobody is there'))
  const named = scene(t, { statics: () => [node(1)], freeSlots: () => 0, dial: failing })
  await named.time.pass(3_600_000)
  const late = named.dialled.length
  t.ok(late >= 30, `${late} times in an hour`)
  await named.time.pass(3_600_000)
  t.ok(named.dialled.length - late >= 3600 / 94, 'at least every 93 s')
})

t.test('what is remembered of failures is bounded, and forgotten by who stays', async (t) => {
  const time = new VirtualTime()
  const history = new DialHistory(time, () => 0)
  for (let number = 0; number < 5000; number += 1) history.failed(node(number), CANDIDATE_BACK_OFF)
  t.equal(history.size, 2000)
  t.notOk(history.mayDial(node(4999)))
  t.ok(history.mayDial(node(0)))
  history.stayed(node(4999))
  t.ok(history.mayDial(node(4999)))
  history.failed(node(1), STATIC_BACK_OFF)
  await time.pass(2999)
  t.notOk(history.mayDial(node(1)))
  await time.pass(1)
  t.ok(history.mayDial(node(1)))
})

t.test('a source that fails or does not answer stops nothing', async (t) => {
  let asked = 0
  const failing = scene(t, {
    statics: () => [node(1)],
    source: {
      candidates: () => {
        asked += 1
        return Promise.reject(new Error('no table'))
      },
    },
  })
  await failing.time.pass(9000)
  t.equal(asked, 4)
  t.equal(failing.dialled.length, 1)
  let pending = 0
  const silent = scene(t, {
    source: {
      candidates: () => {
        pending += 1
        return new Promise(() => undefined)
      },
    },
  })
  await silent.time.pass(30_000)
  t.equal(pending, 1, 'it is asked once')
})

t.test('after the end nothing is dialled and what is open is given up', async (t) => {
  const { time, dialer, dialled } = scene(t, { source: { candidates: () => nodes(3) } })
  await time.pass(0)
  t.equal(dialer.stats.open, 3)
  dialer.stop()
  await time.pass(30_000)
  t.equal(dialled.length, 3)
  t.equal(dialer.stats.open, 0)
  t.equal(time.waiting, 0)
})
