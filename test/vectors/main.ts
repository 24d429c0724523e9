import { countDifferent, formatResult, formatTotal, runVectors } from './run.ts'

const paths = process.argv.slice(2)
if (paths.length === 0) {
  process.stderr.write('usage: npm run vectors -- DIR…\n')
  process.exit(2)
}
const results = await runVectors(paths, (result) => {
  process.stdout.write(`${formatResult(result)}\n`)
})
process.stdout.write(`${formatTotal(results)}\n`)
const compared = results.some(({ leftAlone }) => leftAlone === null)
if (!compared || countDifferent(results) > 0) process.exitCode = 1
