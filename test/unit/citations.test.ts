import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { LISTED_DIFFERENCES } from '../replay/differences.ts'
import {
  type Citation,
  findCitations,
  parseSheet,
  readCitingFiles,
  SHEET_PATHS,
} from '../support/citations.ts'
import { ROOT } from '../support/sources.ts'

/** They name what must not be cited. */
const OWN_FILES = ['test/unit/citations.test.ts', 'test/support/citations.ts']

const sheets = new Map(
  Object.entries(SHEET_PATHS).map(([name, path]) => [
    name,
    parseSheet(readFileSync(join(ROOT, path), 'utf8')),
  ]),
)
const files = readCitingFiles(OWN_FILES)

t.test('every citation of a rule, a fact or a decision names a section that is there', (t) => {
  const counts = new Map<string, number>()
  const faults = files.flatMap((file) =>
    findCitations(file, sheets).flatMap(({ sheet, reference, fault }) => {
      counts.set(sheet, (counts.get(sheet) ?? 0) + 1)
      return fault === null ? [] : [`${file.path}: ${sheet} ${reference} ${fault}`]
    }),
  )
  t.same(faults, [])
  for (const sheet of ['consensus', 'evm', 'rpc', 'mining', 'bridge', 'decisions', 'specification']) {
    t.ok((counts.get(sheet) ?? 0) > 0, `${sheet}.md is cited`)
  }
  t.comment(JSON.stringify(Object.fromEntries(counts)))
  t.end()
})

t.test('every listed difference from the reference cites what asks for it', (t) => {
  const silent = LISTED_DIFFERENCES.filter(({ why }) => referencesOf(`// ${why}`).length === 0)
  t.same(
    silent.map(({ what }) => what),
    [],
  )
  t.end()
})

t.test('a wrong citation is found', (t) => {
  const wrong = [
    'consensus.md §99',
    'consensus.md §4.2, §4.99',
    'consensus.md §4.2 rule 77',
    'evm.md §2.3 steps 9 to 99',
    'evm.md\n// §9.9',
    'decisions.md D999',
    'decisions.md D20 and D999',
    'specification.md Nothing of the kind',
    'wire.md §1',
    '§4.2 alone',
    'consensus.md §4.2; then §99',
    'facts/rpc.md §1',
    'design.md §4',
    'the methods of rpc-service.md',
    'decision 11',
  ]
  for (const text of wrong) t.ok(faultsOf(`// as ${text} says`).length > 0, text)
  t.end()
})

t.test('a right citation is taken in all its forms', (t) => {
  const right: [text: string, references: readonly string[]][] = [
    ['(consensus.md §4.2 rule 3, §4.4).', ['§4.2', '§4.2 item 3', '§4.4']],
    ['(evm.md\n// §4.1 step 8)', ['§4.1', '§4.1 item 8']],
    ['`evm.md` §4.2 and §8 row 5', ['§4.2', '§8', '§8 item 5']],
    ['(decisions.md D22, D23)', ['D22', 'D23']],
    ['(specification.md Call object)', ['Call object']],
    ['(bridge.md)', ['whole']],
    ['(RFC 6455 §7.4.1)', []],
    ['see bench/results/rpc.md', []],
  ]
  for (const [text, references] of right) {
    t.same(referencesOf(`// ${text}`), references, text)
    t.same(faultsOf(`// ${text}`), [], text)
  }
  t.end()
})

function citationsOf(text: string): Citation[] {
  return findCitations({ path: 'src/example.ts', text }, sheets)
}

function referencesOf(text: string): string[] {
  return citationsOf(text).map(({ reference }) => reference)
}

function faultsOf(text: string): Citation[] {
  return citationsOf(text).filter(({ fault }) => fault !== null)
}
