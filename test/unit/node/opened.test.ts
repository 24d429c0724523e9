import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { Opened, Part, type PartSteps } from '../../../src/node/opened.ts'

/** Steps that write down what happens, a turn of the event loop later; each opening gives the next number. */
function recorder() {
  const events: string[] = []
  const steps = (name: string): PartSteps<number> => {
    let opened = 0
    return {
      open: async () => {
        await nextTurn()
        opened += 1
        events.push(`open ${name}`)
        return opened
      },
      close: async (value) => {
        await nextTurn()
        events.push(`close ${name} ${value}`)
      },
    }
  }
  return { events, steps }
}

const failing = (message: string): PartSteps<number> => ({
  open: () => 1,
  close: () => {
    throw new Error(message)
  },
})

t.test('parts are closed in the reverse order, once', async (t) => {
  const { events, steps } = recorder()
  const parts = await Opened.build(async (parts) => {
    for (const name of ['a', 'b', 'c']) await parts.open(steps(name))
    return parts
  })
  await Promise.all([parts.close(), parts.close()])
  await parts.close()
  t.same(events, ['open a', 'open b', 'open c', 'close c 1', 'close b 1', 'close a 1'])
  await t.rejects(parts.open(steps('d')), { message: 'the parts are closed' })
})

t.test('where one cannot be opened, those before it are closed', async (t) => {
  const { events, steps } = recorder()
  const failed: unknown[] = []
  const building = Opened.build(
    async (parts) => {
      await parts.open(steps('a'))
      await parts.open(failing('b does not close'))
      await parts.open({ open: () => Promise.reject(new Error('c does not open')), close: () => undefined })
      t.fail('nothing is opened behind it')
    },
    (error) => failed.push(error),
  )
  await t.rejects(building, { message: 'c does not open' })
  t.same(events, ['open a', 'close a 1'])
  t.match(failed, [{ message: 'b does not close' }])
})

t.test('what fails between two parts closes those before it, too', async (t) => {
  const { events, steps } = recorder()
  const building = Opened.build(async (parts) => {
    await parts.open(steps('a'))
    throw new Error('no')
  })
  await t.rejects(building, { message: 'no' })
  t.same(events, ['open a', 'close a 1'])
})

t.test('one that does not close keeps no other open', async (t) => {
  const { events, steps } = recorder()
  const parts = new Opened()
  await parts.open(steps('a'))
  await parts.open(failing('b'))
  await parts.open(steps('c'))
  await t.rejects(parts.close(), { message: 'b' })
  t.same(events, ['open a', 'open c', 'close c 1', 'close a 1'])
  const both = new Opened()
  await both.open(failing('first'))
  await both.open(failing('second'))
  await t.rejects(both.close(), { errors: [{ message: 'second' }, { message: 'first' }] })
})

t.test('a part is closed and opened again while the others run, and keeps its place', async (t) => {
  const { events, steps } = recorder()
  const parts = new Opened()
  const part = new Part<number>()
  t.equal(part.now, null)
  await parts.open(steps('a'))
  await parts.open(steps('b'), part)
  await parts.open(steps('c'))
  t.equal(part.now, 1)
  const reopening = part.reopen()
  t.equal(await reopening, 2)
  t.equal(part.now, 2)
  await part.close()
  t.equal(part.now, null)
  t.equal(await part.reopen(), 3)
  await parts.close()
  t.same(events, [
    ...['open a', 'open b', 'open c', 'close b 1', 'open b', 'close b 2', 'open b'],
    ...['close c 1', 'close b 3', 'close a 1'],
  ])
  t.equal(part.now, null)
  t.equal(await part.reopen(), null)
  await t.rejects(part.open(steps('d')), { message: 'the part was opened before' })
})

t.test('what is asked of a part is done in order, and one that ends stays closed', async (t) => {
  const { events, steps } = recorder()
  const parts = new Opened()
  const part = new Part<number>()
  await t.rejects(part.reopen(), { message: /never opened/ })
  const opening = parts.open(steps('a'), part)
  await Promise.all([opening, part.reopen(), part.reopen()])
  t.same(events, ['open a', 'close a 1', 'open a', 'close a 2', 'open a'])
  const [early, , late] = await Promise.all([part.reopen(), parts.close(), part.reopen()])
  t.same([early, late], [null, null], 'it ends before its turn')
  t.same(events.slice(5), ['close a 3'])
})

t.test('nobody reaches a part while it closes', async (t) => {
  const part = new Part<number>()
  await part.open({ open: () => 7, close: () => void t.equal(part.now, null) })
  t.equal(part.now, 7)
  await part.close()
})
