import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ROOT } from '../support/sources.ts'

/** Docs that begin with such a word name no subject: "Start of a chunk", not "Where a chunk begins". */
const HEADLESS = /^\s*(?:\/\*\*|\/\/\/) (?:What|Who|Whose|Whether|Where|How|When|Which|Why)\b/gm
/** Docs without a subject that may be left, by the ending of the file. */
const MAX_HEADLESS = { ts: 20, rs: 20 }
/** Words of a cell of decisions.md. */
const MAX_WORDS = 60

t.test('docs name their subject', (t) => {
  const files = execFileSync('git', ['ls-files', 'src', 'native/crates'], {
    cwd: ROOT,
    encoding: 'utf8',
  }).split('\n')
  for (const [ending, most] of Object.entries(MAX_HEADLESS)) {
    const ofKind = files.filter((file) => file.endsWith(`.${ending}`))
    t.ok(ofKind.length > 300, `${ofKind.length} files of ${ending}`)
    const headless = ofKind.flatMap((file) =>
      (readFileSync(join(ROOT, file), 'utf8').match(HEADLESS) ?? []).map(() => file),
    )
    t.ok(
      headless.length <= most,
      `${headless.length} docs of ${ending} without a subject:\n${headless.join('\n')}`,
    )
  }
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
  t.equal(
    '/** What it has. */\n  /// Whether it is.\n  /// Where.\n/** The rest. */'.match(HEADLESS)?.length,
    3,
  )
  t.end()
})
