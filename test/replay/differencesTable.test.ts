import { readFileSync } from 'node:fs'
import t from 'tap'
import { LISTED_DIFFERENCES } from './differences.ts'
import { refreshDifferences } from './differencesTable.ts'

const README = readFileSync(new URL('../../src/rpc/README.md', import.meta.url), 'utf8')

t.test('the table of differences is fresh (npm run docs)', async (t) => {
  t.equal(refreshDifferences(README), README)
  const stale = README.replace(LISTED_DIFFERENCES[0]?.what ?? '', 'something else')
  t.not(stale, README)
  t.equal(refreshDifferences(stale), README)
})
