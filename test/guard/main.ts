import { parseArgs } from 'node:util'
import { findLess, findMore, formatCosts, readTable, tablePath, writeTable } from './costTable.ts'
import { countCosts } from './countCosts.ts'

const HELP = `npm run guard [-- --write --reason TEXT]: counts what light requests cost, beside the table of this line of Node.js

  --write         puts what was counted in its place
  --reason TEXT   why that is right`

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    reason: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(HELP)
else if (values.write && values.reason.trim() === '') {
  console.error('guard: --write needs a --reason')
  process.exitCode = 2
} else {
  const table = readTable()
  const costs = await countCosts()
  console.log(formatCosts(costs))
  const more = findMore(table?.rows ?? {}, costs)
  for (const line of more) console.log(line)
  if (table !== null) for (const row of findLess(table.rows, costs)) console.log(`${row}: costs less`)
  if (values.write) {
    writeTable({ reason: values.reason.trim(), rows: costs })
    console.log(`${tablePath()} is written`)
  } else if (more.length > 0) process.exitCode = 1
}
