import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { heldBackFor, TickBudget } from '../../../src/front/tickBudget.ts'

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

t.test('they are held back the longer the more there are', (t) => {
  t.same([1, 200, 201, 1000, 1_000_000].map(heldBackFor), [200, 200, 201, 1000, 2000])
  t.end()
})
