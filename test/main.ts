import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import t from 'tap'
import { LOADER, ROOT } from './support/sources.ts'

// `npm test`: runs the test files below the folders that are named, or all, two at once, each in a process of its own.
// It does what the command of tap does without the hooks of coverage and mocks, which every process and thread of a
// test would load. `npm run coverage` is that command.

/** Files that run at the same time. */
const JOBS = 2
/** Time of a file, milliseconds: the slowest ones take minutes where others use the machine, too. */
const TIMEOUT = 1_200_000
/** For `t.mockImport`, in a file that has it: it looks at every import. */
const MOCKS = ['--import', import.meta.resolve('@tapjs/mock/import')]

/** The test files of a folder, or the file itself, below the root. */
function findTests(path: string): string[] {
  const whole = join(ROOT, path)
  if (!statSync(whole).isDirectory()) return [path]
  return readdirSync(whole, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => relative(ROOT, join(whole, name)))
    .sort()
}

const named = process.argv.slice(2)
const files = (named.length > 0 ? named : ['test']).flatMap(findTests)
if (files.length === 0) throw new Error('no test files')

// A person gets a summary, whatever reads the output gets all of it.
if (process.stdout.isTTY) {
  const reporter = spawn(join(ROOT, 'node_modules/.bin/tap'), ['-'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  t.pipe(reporter.stdin)
}
t.setTimeout(0)
t.jobs = Math.min(JOBS, files.length)
t.plan(files.length)
for (const file of files) {
  const path = join(ROOT, file)
  const mocks = readFileSync(path, 'utf8').includes('t.mockImport') ? MOCKS : []
  const args = ['--enable-source-maps', '--import', LOADER, ...mocks, path]
  // Tap puts its hooks into NODE_OPTIONS when it starts a process.
  t.spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, ...args], {
    ...{ name: file, buffered: true, timeout: TIMEOUT, cwd: ROOT },
    env: { ...process.env, TAP_TIMEOUT: String(TIMEOUT / 1000) },
  })
}
