import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { TurnBudget } from '../../../src/execution/turnBudget.ts'

t.test('a turn has so much time, and the next one has it again', async (t) => {
  const budget = new TurnBudget(5)
  t.equal(
    budget.run(() => 7),
    7,
  )
  t.notOk(budget.isSpent)
  budget.run(() => {
    const start = performance.now()
    while (performance.now() - start < 5);
  })
  t.ok(budget.isSpent)
  await setImmediate()
  t.notOk(budget.isSpent)
})

t.test('work that throws counts too', async (t) => {
  const budget = new TurnBudget(0)
  t.throws(() =>
    budget.run(() => {
      throw new Error('work')
    }),
  )
  t.ok(budget.isSpent)
})
