import t from 'tap'
import { type ListedExchange, OpenExchanges } from '../../../src/front/openExchanges.ts'

interface Named extends ListedExchange {
  readonly name: string
}

const named = (name: string): Named => ({ name, index: 0 })
const namesOf = (open: OpenExchanges<Named>) =>
  open
    .all()
    .map(({ name }) => name)
    .toSorted()

t.test('whichever goes first, the others stay', async (t) => {
  for (const order of ['abc', 'acb', 'bac', 'bca', 'cab', 'cba']) {
    const open = new OpenExchanges<Named>()
    const all = new Map([...'abc'].map((name) => [name, named(name)]))
    for (const exchange of all.values()) open.add(exchange)
    const left = new Set('abc')
    for (const name of order) {
      open.remove(all.get(name) as Named)
      left.delete(name)
      t.same(namesOf(open), [...left].toSorted(), `${order}: without ${name}`)
      t.equal(open.size, left.size)
    }
  }
})

t.test('one that is not there is not removed', async (t) => {
  const open = new OpenExchanges<Named>()
  const [first, second] = [named('a'), named('b')]
  open.add(first)
  open.remove(second)
  t.same(namesOf(open), ['a'])
  open.remove(first)
  open.remove(first)
  t.equal(open.size, 0)
})
