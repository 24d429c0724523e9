import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { TickBudget } from '../../../src/front/tickBudget.ts'

t.test('a client gets a bounded number of answers in a turn, and goes on in the next', async (t) => {
  const loop = new TickBudget()
  const [many, few] = [0, 1].map(() => ({ tick: 0, askedInTick: 0 })) as [
    { tick: number; askedInTick: number },
    { tick: number; askedInTick: number },
  ]
  const admitted = (use: typeof many, times: number) =>
    Array.from({ length: times }, () => loop.admits(use)).filter(Boolean).length
  t.equal(admitted(many, 1000), 256)
  t.equal(admitted(few, 10), 10, 'another client has its own')
  await nextTurn()
  t.equal(admitted(many, 1000), 256)
})

t.test('refusals are held back beyond some in a turn and some in a second', async (t) => {
  const loop = new TickBudget()
  const held = (times: number) => Array.from({ length: times }, () => loop.holdsBack()).filter(Boolean).length
  t.equal(held(100), 84)
  await nextTurn()
  t.equal(held(10), 0)
  await nextTurn()
  held(100)
  await nextTurn()
  t.equal(held(10), 10, 'more than 200 in this second')
})
