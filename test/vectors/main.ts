import { formatResult, runVectors } from './run.ts'

const paths = process.argv.slice(2)
if (paths.length === 0) {
  process.stderr.write('usage: npm run vectors -- DIR…\n')
  process.exit(2)
}
const results = await runVectors(paths, (result) => {
  process.stdout.write(`${formatResult(result)}\n`)
})
const equal = results.reduce((sum, { comparison }) => sum + comparison.equal, 0)
const different = results.reduce((sum, { comparison }) => sum + comparison.different, 0)
process.stdout.write(`${results.length} files: ${equal} equal, ${different} different\n`)
if (results.length === 0 || different > 0) process.exitCode = 1
