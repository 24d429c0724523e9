import { checkHistory } from './check.ts'
import { readHistory } from './history.ts'
import { describeEntry } from './violation.ts'

const [path] = process.argv.slice(2)
if (path === undefined) throw new Error('npm run ts -- test/fleet/checker/main.ts HISTORY')
const history = readHistory(path)
const violations = checkHistory(history)
for (const { rule, message, entries } of violations) {
  console.log(`${rule}: ${message}`)
  for (const entry of entries) console.log(`    ${describeEntry(entry)}`)
}
const { entries, faults, heads } = history
const count = (kind: string) => entries.filter(({ outcome }) => outcome.kind === kind).length
console.log(
  `${entries.length} requests (${count('answered')} answered, ${count('refused')} refused, ${count('unknown')} without an answer), ` +
    `${faults.length} faults, ${heads.length} heads: ${violations.length} violations`,
)
process.exitCode = violations.length === 0 ? 0 : 1
