import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { ReadingTurns, type TurnReader } from '../../../src/front/readingTurns.ts'

/** A socket that counts its turns. */
class Reader implements TurnReader {
  readonly client: object
  isRead = true
  turns = 0

  constructor(client: object) {
    this.client = client
  }

  resume(): void {
    this.isRead = true
    this.turns += 1
  }

  pause(): void {
    this.isRead = false
  }
}

const readersOf = (client: object, count: number) => Array.from({ length: count }, () => new Reader(client))
const readBy = (readers: readonly Reader[]) => readers.filter(({ isRead }) => isRead).length

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(1)
}

t.test('a few sockets are read all the time', async (t) => {
  const turns = new ReadingTurns<Reader>(() => t.fail('no turn ends'))
  const readers = readersOf({}, 8)
  for (const reader of readers) turns.add(reader)
  await sleep(10)
  t.equal(readBy(readers), 8)
  t.notOk(turns.isBusy)
})

t.test(
  'of many some are read at a time, and a client with one has as many turns as one with many',
  async (t) => {
    let most = 0
    const turns = new ReadingTurns<Reader>(() => {
      most = Math.max(most, readBy(all))
    })
    const [many, single] = [readersOf({}, 100), new Reader({})]
    const all = [...many, single]
    for (const reader of all) turns.add(reader)
    t.ok(turns.isBusy)
    await until(() => many.every((reader) => reader.turns >= 1))
    t.equal(most, 8)
    const turnsOfMany = many.reduce((sum, reader) => sum + reader.turns, 0)
    t.ok(single.turns * 10 >= turnsOfMany, `${single.turns} beside ${turnsOfMany}`)
    for (const reader of all) turns.remove(reader)
    t.equal(readBy(all), 101, 'who leaves is read')
    t.notOk(turns.isBusy)
  },
)

t.test('while turns are late fewer are read at a time, and all of them have turns', async (t) => {
  const readers = readersOf({}, 40)
  let least = 8
  const turns = new ReadingTurns<Reader>(() => {
    least = Math.min(least, readBy(readers))
  })
  for (const reader of readers) turns.add(reader)
  // What they bring takes long.
  const busy = setInterval(() => {
    const end = performance.now() + 5
    while (performance.now() < end);
  }, 1)
  await until(() => readers.every((reader) => reader.turns >= 1))
  clearInterval(busy)
  t.equal(least, 1)
  for (const reader of readers) turns.forget(reader)
})

t.test('who is removed at the end of a turn or is closed has no turn any more', async (t) => {
  const readers = readersOf({}, 30)
  const turns = new ReadingTurns<Reader>((read) => {
    for (const reader of read) turns.remove(reader)
  })
  for (const reader of readers) turns.add(reader)
  const closed = readers.slice(20)
  for (const reader of closed) turns.forget(reader)
  await until(() => !turns.isBusy)
  const open = readers.slice(0, 20)
  t.equal(readBy(open), 20)
  t.ok(open.slice(8).every((reader) => reader.turns === 1))
  t.ok(closed.every((reader) => reader.turns === 0))
})
