import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import t from 'tap'
import type { FileResult } from './runner/fileResult.ts'
import { FinishedFile } from './runner/finishedFile.ts'
import { runInOwnProcess } from './runner/ownProcess.ts'
import { runQueues } from './runner/schedule.ts'
import { isOfTheRest } from './runner/sets.ts'
import { SharedProcesses } from './runner/sharedProcesses.ts'
import { describeTestFile, findTestFiles, NoTestFile } from './runner/testFiles.ts'
import { formatTimes } from './runner/times.ts'
import { ROOT } from './support/sources.ts'

// `npm test -- [FILE…] [--grep PATTERN]… [--rest] [--jobs N] [--alone]`: runs test files, or those below folders.
// `npm run coverage` is the command of tap, whose hooks for coverage every process and thread of a test would load.

/** Files that wait run beside those that compute. */
const WAITING_JOBS = 4

const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    // Of the names of tests; once more for the names of tests in these.
    grep: { type: 'string', multiple: true, default: [] },
    // Those that `npm test` leaves out.
    rest: { type: 'boolean', default: false },
    // Files that compute at the same time.
    jobs: { type: 'string', default: String(availableParallelism()) },
    // Each file in a process of its own.
    alone: { type: 'boolean', default: false },
  },
})

const paths = findNamed()

// A person gets a summary, whatever reads the output gets all of it.
if (process.stdout.isTTY) {
  const reporter = spawn(join(ROOT, 'node_modules/.bin/tap'), ['-'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  t.pipe(reporter.stdin)
}
t.setTimeout(0)
// What is finished is handed over at once.
t.jobs = paths.length + 1

const environment: NodeJS.ProcessEnv = values.grep.length > 0 ? { TAP_GREP: values.grep.join('\n') } : {}
const shared = new SharedProcesses(environment)
const alone = values.alone || paths.length === 1
const results: FileResult[] = []
const jobs = Number(values.jobs)
await runQueues(
  paths.map(describeTestFile),
  { computing: jobs, waiting: WAITING_JOBS },
  (file) =>
    file.process === 'shared' && !alone ? shared.run(file.path) : runInOwnProcess(file, environment),
  (result) => {
    results.push(result)
    void t.sub(FinishedFile, { result })
  },
)
await shared.end()
for (const { files, failure } of shared.failures) t.fail(`a process that ran ${files.join(', ')}: ${failure}`)
for (const line of formatTimes(results)) t.comment(line)
t.end()

function findNamed(): string[] {
  if (named.length === 0) return findTestFiles('test').filter((path) => isOfTheRest(path) === values.rest)
  try {
    const found = [...new Set(named.flatMap(findTestFiles))]
    if (found.length === 0) throw new NoTestFile(`there is no *.test.ts below ${named.join(', ')}`)
    return found
  } catch (thrown) {
    if (!(thrown instanceof NoTestFile)) throw thrown
    console.error(thrown.message)
    process.exit(2)
  }
}
