import t from 'tap'
import { BlockClock } from '../../../src/mining/blockClock.ts'

t.test('blocks have the time of the machine, later than their parent', (t) => {
  const clock = new BlockClock(() => 1000)
  t.equal(clock.next(500), 1000)
  t.equal(clock.next(999), 1000)
  t.equal(clock.next(1000), 1001)
  t.equal(clock.next(5000), 5001)
  t.end()
})

t.test('seconds that are added move all blocks to come', (t) => {
  let now = 1000
  const clock = new BlockClock(() => now)
  t.equal(clock.increase(60, 900), 60)
  t.equal(clock.increase(-5, 900), 60)
  t.equal(clock.increase(0, 900), 60)
  t.equal(clock.next(0), 1060)
  now = 1010
  t.equal(clock.next(0), 1070)
  clock.blockMade(1070)
  t.equal(clock.increase(5, 1070), 5, 'the answer counts from the last block')
  t.equal(clock.next(1070), 1075)
  now = 2000
  t.equal(clock.next(1075), 2065)
  t.end()
})

t.test('they count from the newest block when blocks have run ahead of the machine', (t) => {
  let now = 1000
  const clock = new BlockClock(() => now)
  t.equal(clock.increase(60, 1500), 60)
  t.equal(clock.next(1500), 1560)
  t.equal(clock.increase(60, 1500), 120)
  t.equal(clock.next(1500), 1620)
  now = 1001
  t.equal(clock.next(1620), 1621)
  t.end()
})

t.test('a block can be given the very time after its parent; the next ones go on from there', (t) => {
  let now = 1000
  const clock = new BlockClock(() => now)
  t.throws(() => clock.setTo(500, 500), { code: 'TIMESTAMP' })
  t.throws(() => clock.setTo(Number.NaN, 500), { code: 'TIMESTAMP' })
  clock.setTo(501, 500)
  t.equal(clock.next(500), 501)
  now = 1002
  t.equal(clock.next(500), 501, 'however long it takes')
  clock.blockMade(501)
  now = 1003
  t.equal(clock.next(501), 502)
  now = 1005
  t.equal(clock.next(501), 504)
  clock.setTo(2_000_000, 504)
  t.equal(clock.next(504), 2_000_000)
  t.equal(clock.next(3_000_000), 3_000_001, 'a head of somewhere else is later')
  t.end()
})

t.test('an interval is what blocks are apart, whatever the machine shows', (t) => {
  let now = 1000
  const clock = new BlockClock(() => now)
  clock.setInterval(30)
  t.equal(clock.interval, 30)
  t.equal(clock.next(500), 530)
  clock.setTo(600, 500)
  t.equal(clock.next(500), 600)
  clock.blockMade(600)
  now = 1001
  t.equal(clock.next(600), 630)
  clock.setInterval(0)
  t.equal(clock.next(600), 601)
  clock.setInterval(null)
  t.equal(clock.next(600), 601)
  now = 1100
  t.equal(clock.next(600), 700)
  t.end()
})

t.test('a moment is gone back to, with the time that was set for the next block', (t) => {
  let now = 1000
  const clock = new BlockClock(() => now)
  clock.increase(100, 0)
  const early = clock.state()
  clock.setTo(5000, 1100)
  const late = clock.state()
  clock.blockMade(5000)
  now = 1050
  t.equal(clock.next(5000), 5050)
  const version = clock.version
  clock.restore(late)
  t.not(clock.version, version)
  t.equal(clock.next(1100), 5000)
  clock.restore(early)
  t.equal(clock.next(1000), 1100)
  now = 1060
  t.equal(clock.next(1000), 1110)
  clock.setInterval(7)
  clock.reset()
  t.equal(clock.next(1000), 1060)
  t.equal(clock.interval, null)
  t.end()
})

t.test('no time is taken that other nodes would refuse', (t) => {
  let now = 1000
  const clock = new BlockClock(() => now, 540)
  t.throws(() => clock.setTo(1541, 900), { code: 'TIMESTAMP', message: /takes times up to 1540/ })
  t.equal(clock.next(900), 1000, 'nothing changed')
  clock.setTo(1540, 900)
  clock.blockMade(1540)
  t.throws(() => clock.increase(1, 1540), { code: 'TIMESTAMP' })
  now = 1100
  t.throws(() => clock.increase(1, 1540), { code: 'TIMESTAMP' }, 'blocks stay as far ahead')
  clock.setTo(1600, 1540)
  clock.blockMade(1600)
  t.equal(clock.increase(40, 1600), 40)
  t.equal(clock.next(1600), 1640)
  t.end()
})
