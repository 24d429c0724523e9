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

t.test('time moves forward when asked to, for all blocks to come', (t) => {
  let now = 1000
  const clock = new BlockClock(() => now)
  t.equal(clock.increase(60), 60)
  t.equal(clock.increase(-5), 60)
  t.equal(clock.increase(0), 60)
  t.equal(clock.next(0), 1060)
  now = 1010
  t.equal(clock.next(0), 1070)
  t.end()
})

t.test('a block can be given a time after its parent; the next ones go on from there', (t) => {
  let now = 1000
  const clock = new BlockClock(() => now)
  t.throws(() => clock.setTo(500, 500), { code: 'TIMESTAMP' })
  t.throws(() => clock.setTo(Number.NaN, 500), { code: 'TIMESTAMP' })
  clock.setTo(501, 500)
  t.equal(clock.next(500), 501)
  now = 1003
  t.equal(clock.next(501), 504)
  clock.setTo(2_000_000, 504)
  t.equal(clock.next(504), 2_000_000)
  t.end()
})

t.test('no time is taken that other nodes would refuse', (t) => {
  let now = 1000
  const clock = new BlockClock(() => now, 540)
  t.throws(() => clock.setTo(1541, 900), { code: 'TIMESTAMP', message: /takes times up to 1540/ })
  t.equal(clock.next(900), 1000, 'nothing changed')
  clock.setTo(1540, 900)
  t.throws(() => clock.increase(1), { code: 'TIMESTAMP' })
  now = 1100
  t.throws(() => clock.increase(1), { code: 'TIMESTAMP' }, 'blocks stay as far ahead')
  clock.setTo(1600, 1540)
  t.equal(clock.increase(40), 40)
  t.equal(clock.next(1540), 1640)
  t.end()
})
