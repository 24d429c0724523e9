import { readFileSync } from 'node:fs'
import t from 'tap'
import { refreshReadme } from '../../../src/cli/docs.ts'
import { flagOf, OPTION_KEYS } from '../../../src/config/schema.ts'

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

t.test('the generated sections of the README are fresh (npm run docs)', (t) => {
  t.equal(refreshReadme(README), README)
  const stale = README.replace('| 4444 |', '| 4445 |')
  t.not(stale, README)
  t.equal(refreshReadme(stale), README)
  t.end()
})

t.test('the README names every option', (t) => {
  for (const key of OPTION_KEYS) t.ok(README.includes(flagOf(key).slice(2)), key)
  t.end()
})
