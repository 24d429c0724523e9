import { Writable } from 'node:stream'
import t from 'tap'
import { ClockWatch } from '../../../src/node/peers/clockWatch.ts'
import { watchClock } from '../../../src/node/peers/watchClock.ts'
import { createLogger } from '../../../src/observe/logger.ts'
import type { Peer } from '../../../src/p2p/peer.ts'
import type { ChainTip, SyncChain, TipChange } from '../../../src/sync/syncChain.ts'

/** A watch at second 1,000 by its clock, and what it logs. */
function watchAt(seconds: number) {
  const lines: { level: number; seconds?: number }[] = []
  const output = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const log = createLogger({ level: 'info', format: 'json', output })
  return { watch: new ClockWatch(() => seconds * 1000, log), lines }
}

t.test('four heads of the future in a row, and the least of them counts', async (t) => {
  const { watch, lines } = watchAt(1000)
  for (const timestamp of [1040, 1030, 1050]) watch.observe(timestamp)
  t.equal(watch.behind, null)
  watch.observe(1045)
  t.equal(watch.behind, 30)
  watch.observe(1060)
  t.match(lines, [{ level: 40, seconds: 30 }], 'said once')
  t.equal(lines.length, 1)
  watch.observe(1001)
  t.equal(watch.behind, null)
  t.equal(lines.length, 2, 'and that it is over')
})

t.test('one maker with a wrong clock, and blocks that are caught up with, say nothing', async (t) => {
  const { watch, lines } = watchAt(1000)
  for (const timestamp of [1040, 1030, 1000, 1050, 1060, 1015, 1015, 1015, 1015, 10, 20, 30, 40]) {
    watch.observe(timestamp)
    t.equal(watch.behind, null)
  }
  t.same(lines, [])
})

t.test('sixteen heads that peers had and that were all old when they came: the clock is ahead', async (t) => {
  const { watch, lines } = watchAt(10_000)
  for (let head = 0; head < 15; head += 1) watch.witnessed(watch.observe(9_900 + head))
  t.equal(watch.ahead, null)
  watch.witnessed(watch.observe(9_960))
  t.equal(watch.ahead, 40, 'the least age counts')
  t.equal(watch.behind, null)
  watch.witnessed(watch.observe(9_950))
  t.match(lines, [{ level: 40, seconds: 40 }], 'said once')
  watch.witnessed(watch.observe(9_990))
  t.equal(watch.ahead, null)
  t.equal(lines.length, 2, 'and that it is over')
})

t.test('one young block among old ones: makers take their time, the clock fits', async (t) => {
  const { watch, lines } = watchAt(10_000)
  for (let head = 0; head < 64; head += 1) watch.witnessed(watch.observe(head % 16 === 0 ? 9_995 : 9_945))
  t.equal(watch.ahead, null)
  t.same(lines, [])
})

t.test(
  'heads count when peers of several blocks of addresses had them, at the tip, and not our own',
  async (t) => {
    const scene = clockScene()
    const seen = (many: number) => {
      for (let head = 0; head < many; head += 1) scene.head()
      return scene.watch.ahead
    }
    scene.addresses = ['10.1.0.1', '10.1.0.2', '10.1.0.3']
    t.equal(seen(40), null, 'three peers of one block of addresses are one')
    scene.addresses = ['10.1.0.1', '10.2.0.2']
    t.equal(seen(40), null, 'two are too few')
    scene.addresses = ['10.1.0.1', '10.2.0.2', '10.3.0.3']
    scene.having = 2
    t.equal(seen(40), null, 'one of three does not have them')
    scene.isForeign = false
    seen(1)
    scene.having = 3
    t.equal(seen(40), null, 'own blocks have the time of this clock')
    scene.isForeign = true
    scene.isSyncing = true
    t.equal(seen(40), null, 'blocks that are caught up with are old')
    scene.isSyncing = false
    t.equal(seen(16), null)
    t.equal(seen(1), 100, 'a head is judged when the next one comes')
    scene.end()
    t.equal(scene.listeners.size, 0)
  },
)

/** Heads that are 100 s old by this clock, and peers that may have them. */
function clockScene() {
  const listeners = new Set<(change: TipChange) => void>()
  const tip: ChainTip = {
    number: 1,
    hash: Buffer.alloc(32, 1),
    parentHash: Buffer.alloc(32),
    totalDifficulty: 1n,
  }
  const scene = {
    addresses: [] as string[],
    having: 3,
    isSyncing: false,
    isForeign: true,
    listeners,
    head: () => {
      for (const listener of listeners) listener({ tip, enacted: [] })
    },
  }
  const chain = {
    onTip: (listener: (change: TipChange) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    refresh: () => undefined,
    reader: { headerByHash: () => ({ timestamp: 900 }) },
  } as unknown as SyncChain
  const { watch, end } = watchClock({
    chain,
    peers: {
      get peers() {
        return scene.addresses.map((address, index) => ({ address, port: index }) as Peer)
      },
    },
    log: createLogger({ level: 'silent', format: 'json' }),
    now: () => 1_000_000,
    isSyncing: () => scene.isSyncing,
    has: ({ port }) => port < scene.having,
    isForeign: () => scene.isForeign,
  })
  return Object.assign(scene, { watch, end })
}
