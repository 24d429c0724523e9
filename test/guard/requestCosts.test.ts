import t from 'tap'
import { findLess, findMore, readTable, tablePath } from './costTable.ts'
import { countCosts } from './countCosts.ts'

t.test(
  'a light request costs no more than the table says, unless that is changed with its reason',
  async (t) => {
    const table = readTable()
    if (table === null) {
      t.comment(`${tablePath()} is not there: npm run guard -- --write --reason TEXT makes it`)
      return
    }
    t.ok(table.reason.length > 0)
    const costs = await countCosts()
    t.same(findMore(table.rows, costs), [], 'npm run guard -- --write --reason TEXT changes the table')
    for (const row of findLess(table.rows, costs)) t.comment(`${row} costs less than the table says`)
  },
)
