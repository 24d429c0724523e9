import { spawnSync } from 'node:child_process'
import { join, relative } from 'node:path'
import t from 'tap'
import { runInOwnProcess, testEnvironment } from '../runner/ownProcess.ts'
import { OWN_PROCESS, SLOWEST, WAITING } from '../runner/queues.ts'
import { runQueues } from '../runner/schedule.ts'
import { isOfTheRest, REST } from '../runner/sets.ts'
import { SharedProcesses } from '../runner/sharedProcesses.ts'
import { changesProcess, describeTestFile, findTestFiles } from '../runner/testFiles.ts'
import { formatTimes } from '../runner/times.ts'
import { LOADER, ROOT } from '../support/sources.ts'

const TAP = "import t from 'tap'\n"
/** Test files below a folder of this test, and what they hold. */
const FILES = {
  'passes.test.ts': `${TAP}t.test('one', async (t) => t.equal(t.testdirName.includes('passes.test.ts'), true))`,
  'fails.test.ts': `${TAP}t.test('two', async (t) => t.ok(false, 'what is wrong'))`,
  'throws.test.ts': "throw new Error('no test')",
  'dies.test.ts': "process.kill(process.pid, 'SIGKILL')",
  'ends.test.ts': `${TAP}t.teardown(() => console.error('torn down'))\nawait t.test('three', async (t) => t.pass())`,
}

const ALL = findTestFiles('test')

t.test(
  'a process that is shared gives each file its own tests, and one that dies names the file',
  async (t) => {
    const folder = relative(ROOT, t.testdir(FILES))
    const shared = new SharedProcesses({})
    const run = (name: string) => shared.run(join(folder, name))
    const passes = await run('passes.test.ts')
    t.match(passes, { failure: null, output: /^ok 1 - one\b/m })
    t.match(passes.output, /^1\.\.1$/m)
    t.ok(passes.processorSeconds !== null && passes.processorSeconds > 0)
    t.match(await run('fails.test.ts'), { failure: 'exit code 1', output: /not ok 1 - what is wrong/ })
    t.match(await run('throws.test.ts'), { failure: 'exit code 1', output: /not ok 1 - no test/ })
    t.match(await run('ends.test.ts'), { failure: null, output: /^ok 1 - three\b/m })
    const dies = await run('dies.test.ts')
    t.match(dies, { path: join(folder, 'dies.test.ts'), output: '' })
    t.match(dies.failure, /^signal SIGKILL, in a process that had run .*passes\.test\.ts, .*ends\.test\.ts$/)
    t.match(await run('passes.test.ts'), { failure: null }, 'what comes after has another process')
    await shared.end()
    t.same(shared.failures, [])
  },
)

t.test('a process that does not end after its files is a failure that names them', async (t) => {
  const folder = relative(ROOT, t.testdir({ 'stays.test.ts': `${TAP}setInterval(() => {}, 1000)\nt.pass()` }))
  const shared = new SharedProcesses({})
  const stays = join(folder, 'stays.test.ts')
  t.match(await shared.run(stays), { failure: null })
  await shared.end()
  t.match(shared.failures, [{ files: [stays], failure: /^still running/ }])
})

t.test('a file in a process of its own, of which some tests run', async (t) => {
  const folder = relative(ROOT, t.testdir(FILES))
  const fails = describeTestFile(join(folder, 'fails.test.ts'))
  const result = await runInOwnProcess(fails, { TAP_GREP: 'three' })
  t.match(result, { failure: null, output: /^ok 1 - two # SKIP/m })
  t.ok(result.processorSeconds !== null && result.processorSeconds > 0)
})

t.test('a run has a line, the tests and the time of each file, and counts what they asserted', async (t) => {
  const folder = relative(ROOT, t.testdir(FILES))
  const main = ['--import', LOADER, join(ROOT, 'test/main.ts')]
  const { status, stdout } = spawnSync(process.execPath, [...main, folder, '--alone'], {
    ...{ cwd: ROOT, encoding: 'utf8' },
    env: testEnvironment({ TAP_CHILD_ID: undefined }),
  })
  t.equal(status, 1)
  t.match(stdout, /^ok \d - \S+passes\.test\.ts # time=\d+/m)
  t.match(stdout, /^ {4}ok 1 - one\b/m)
  t.match(stdout, /^not ok \d - \S+fails\.test\.ts # time=\d+/m)
  t.match(stdout, /^not ok \d - \S+dies\.test\.ts\b.*\n {2}---\n(?: {2}.*\n)*? {2}failure: signal SIGKILL$/m)
  t.match(stdout, /^# { total: \d, pass: 2, fail: \d }$/m)
  t.match(stdout, /^# +\d+\.\d +\d+\.\d {2}\S+passes\.test\.ts$/m)
  t.match(stdout, /^# +\d+\.\d +\? {2}\S+dies\.test\.ts$/m)
})

t.test('files run in their queues, the slowest first', async (t) => {
  const [slowest = '', second = ''] = SLOWEST
  const file = (path: string, waits: boolean) => ({ path, process: 'own' as const, mocks: false, waits })
  const files = [
    file('a', false),
    file('b', true),
    file(second, false),
    file('c', true),
    file(slowest, false),
  ]
  const began: string[] = []
  let running = 0
  let most = 0
  const reported: string[] = []
  await runQueues(
    files,
    { computing: 1, waiting: 2 },
    async ({ path }) => {
      began.push(path)
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return { path, output: '', failure: null, wallSeconds: 0, processorSeconds: 0 }
    },
    ({ path }) => reported.push(path),
  )
  t.equal(most, 3)
  t.same(
    began.filter((path) => !['b', 'c'].includes(path)),
    [slowest, second, 'a'],
  )
  t.same([...reported].sort(), files.map(({ path }) => path).sort())
})

t.test('what is said of files is said of files that there are', async (t) => {
  for (const path of [...OWN_PROCESS.keys(), ...WAITING, ...SLOWEST]) t.ok(ALL.includes(path), path)
  for (const begin of REST.keys())
    t.ok(
      ALL.some((path) => path === begin || path.startsWith(`${begin}/`)),
      begin,
    )
  t.ok(ALL.some(isOfTheRest) && ALL.some((path) => !isOfTheRest(path)))
  t.ok(isOfTheRest('test/faults/killNode.test.ts'))
  t.notOk(isOfTheRest('test/unit/runner.test.ts'))
})

t.test('a file that changes its process has one of its own', async (t) => {
  const texts = {
    'mock.test.ts': 'await t.mockImport("./x.ts", {})',
    'set.test.ts': "process.env['A'] = '1'",
    'drop.test.ts': "delete process.env['A']",
    'read.test.ts': "const a = process.env['A'] === '1'",
    'exit.test.ts': 'process.exit(1)',
  }
  const folder = relative(ROOT, t.testdir(texts))
  const changes = (name: string) => changesProcess(texts[name as keyof typeof texts])
  t.same(Object.keys(texts).filter(changes), ['mock.test.ts', 'set.test.ts', 'drop.test.ts', 'exit.test.ts'])
  t.equal(describeTestFile(join(folder, 'mock.test.ts')).mocks, true)
  t.equal(describeTestFile('test/unit/util/bytes.test.ts').process, 'shared')
  t.equal(describeTestFile('test/e2e/reorg.test.ts').process, 'own')
})

t.test('the table of times has the most processor time first', async (t) => {
  const result = (path: string, wallSeconds: number, processorSeconds: number | null) => ({
    ...{ path, output: '', failure: null, wallSeconds, processorSeconds },
  })
  t.same(formatTimes([result('a', 3, 1), result('b', 2, 1.5), result('c', 1, null)]), [
    'seconds: wall, processor',
    '     2.0     1.5  b',
    '     3.0     1.0  a',
    '     1.0       ?  c',
    '     6.0     2.5  3 files',
  ])
})

t.test('a file that is not there is named', (t) => {
  t.throws(() => findTestFiles('test/nosuch'), { message: /there is no test\/nosuch below/ })
  t.end()
})
