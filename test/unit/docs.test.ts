import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ROOT } from '../support/sources.ts'

/** Docs of one line that begin with such a word name no subject: "What a request may wait", not "Milliseconds that …". */
const HEADLESS = /^\s*(?:\/\*\*|\/\/\/) (?:What|Who|Whose|Whether)\b/gm
/** Docs without a subject that are left. */
const MAX_HEADLESS = 100
/** Words of a cell of decisions.md. */
const MAX_WORDS = 60

t.test('docs name their subject', (t) => {
  const files = execFileSync('git', ['ls-files', 'src', 'native/crates'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(ts|rs)$/.test(file))
  t.ok(files.length > 1000)
  const headless = files.flatMap((file) => {
    const { length } = readFileSync(join(ROOT, file), 'utf8').match(HEADLESS) ?? []
    return length > 0 ? [`${file}: ${length}`] : []
  })
  const count = headless.reduce((sum, line) => sum + Number(line.split(': ')[1]), 0)
  t.ok(count <= MAX_HEADLESS, `${count} docs without a subject:\n${headless.join('\n')}`)
  t.end()
})

t.test('a row of decisions.md says the rule, and what is longer stands where it is built', (t) => {
  const rows = readFileSync(join(ROOT, 'src/decisions.md'), 'utf8').match(/^\| D\d+ \|.*$/gm) ?? []
  t.ok(rows.length > 60)
  const long = rows.flatMap((row) =>
    row.split('|').some((cell) => cell.trim().split(/\s+/).length > MAX_WORDS) ? [row.slice(0, 60)] : [],
  )
  t.same(long, [])
  t.end()
})

t.test('the rule finds what it forbids', (t) => {
  t.equal('/** What it has. */\n  /// Whether it is.\n/** The rest. */'.match(HEADLESS)?.length, 2)
  t.end()
})
