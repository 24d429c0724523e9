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
