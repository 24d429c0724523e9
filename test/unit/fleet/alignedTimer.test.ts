import { mock } from 'node:test'
import t from 'tap'
import { everyAligned } from '../../../src/fleet/alignedTimer.ts'

t.test('timers of a period and of its multiple fire at multiples of both, until they end', (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_130 })
  t.teardown(() => mock.timers.reset())
  const fired: string[] = []
  const ends = [
    everyAligned(500, () => fired.push(`${Date.now()} short`)),
    everyAligned(1000, () => fired.push(`${Date.now()} long`)),
  ]
  for (let step = 0; step < 199; step += 1) mock.timers.tick(10)
  t.same(fired.sort(), [
    '1000500 short',
    '1001000 long',
    '1001000 short',
    '1001500 short',
    '1002000 long',
    '1002000 short',
  ])
  for (const end of ends) end()
  mock.timers.tick(5000)
  t.equal(fired.length, 6, 'none after the end')
  t.end()
})

t.test('one that begins just before its time waits for the next one', (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_499 })
  t.teardown(() => mock.timers.reset())
  let count = 0
  const end = everyAligned(500, () => {
    count += 1
  })
  mock.timers.tick(1)
  t.equal(count, 0)
  mock.timers.tick(500)
  t.equal(count, 1)
  end()
  t.end()
})
