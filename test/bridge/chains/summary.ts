/**
 * Joins the reports of chains that `main.ts` made with what the reference said of them:
 * `npm run ts -- test/bridge/chains/summary.ts --folder DIR --out FILE`. Beside each `X.report.json` in the folder
 * stands `X.reference`: number, hash and state root of the reference's head after it took the blocks, with spaces
 * between. Writes FILE.json and FILE.md.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Counts } from './counts.ts'
import { METHOD_NAMES } from './methods.ts'

interface Report extends Counts {
  readonly table: string
  readonly seed: number
  readonly blocks: number
  readonly hash: string
  readonly stateRoot: string
  readonly contractCalls: { readonly made: number; readonly answered: number }
  readonly outcomes: Readonly<Record<string, number>>
}

interface Compared extends Report {
  /** Whether the reference ended on the same head and state root; null when it was not asked. */
  readonly same: boolean | null
}

const TABLES: readonly string[] = ['regtest', 'main', 'testnet']
const REPORT = '.report.json'
const HASH_DIGITS = 16

const { values } = parseArgs({
  options: { folder: { type: 'string', default: '.' }, out: { type: 'string', default: 'bridge-chains' } },
})
const chains = readdirSync(values.folder)
  .filter((name) => name.endsWith(REPORT))
  .map((name) => readReport(values.folder, name))
  .sort((a, b) => TABLES.indexOf(a.table) - TABLES.indexOf(b.table) || a.seed - b.seed)
const totals = TABLES.map((table) => ({
  table,
  rows: countsOf(chains.filter((each) => each.table === table)),
}))
const methods = new Map(
  TABLES.map((table) => [table, byMethod(chains.filter((each) => each.table === table))]),
)
const heads = chains.map(({ table, seed, blocks, hash, stateRoot, same }) => ({
  table,
  seed,
  blocks,
  hash,
  stateRoot,
  same,
}))
const json = {
  chains: heads,
  totals: Object.fromEntries(totals.map(({ table, rows }) => [table, Object.fromEntries(rows)])),
  outcomes: Object.fromEntries(
    [...methods].map(([table, outcomes]) => [table, Object.fromEntries(outcomes)]),
  ),
}
writeFileSync(`${values.out}.json`, `${JSON.stringify(json, null, 1)}\n`)
writeFileSync(`${values.out}.md`, markdown())

function readReport(folder: string, name: string): Compared {
  const report: Report = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const beside = join(folder, `${name.slice(0, -REPORT.length)}.reference`)
  if (!existsSync(beside)) return { ...report, same: null }
  const [number, hash, stateRoot] = readFileSync(beside, 'utf8').trim().split(' ')
  const same = Number(number) === report.blocks && hash === report.hash && stateRoot === report.stateRoot
  return { ...report, same }
}

/** What a chain has come to by name, in one level. */
function flat({ pegins, contractCalls, ...report }: Report): [string, number][] {
  const senders = Object.entries(pegins)
  return [
    ['federation changes', report.federationChanges],
    ['proposed federations validated (SVP)', report.validations],
    ['failed validations', report.failedValidations],
    ['payments registered', report.peginsRegistered],
    ['peg-ins locked', senders.reduce((sum, [, count]) => sum + count, 0)],
    ...senders.map(([kind, count]): [string, number] => [`of them from ${kind}`, count]),
    ['requests paid by signed peg-outs', report.requestsPaid],
    ['signed releases', report.releasesSigned],
    ['of them peg-outs', report.pegoutsSigned],
    ['of them refunds', report.refundsSigned],
    ['of them between federations', report.transfersSigned],
    ['fly-overs paid', report.flyoversPaid],
    ['fly-overs refunded', report.flyoversRefunded],
    ['fly-overs refused', report.flyoversRefused],
    ['union requests', report.unionRequests],
    ['union releases', report.unionReleases],
    ['calls by contracts', contractCalls.made],
    ['of them without a failure', contractCalls.answered],
  ]
}

/** Least of a chain, and the sum, of each count. */
function countsOf(reports: readonly Report[]): Map<string, { least: number; sum: number }> {
  const rows = new Map<string, { least: number; sum: number }>()
  for (const report of reports) {
    for (const [name, count] of flat(report)) {
      const { least, sum } = rows.get(name) ?? { least: count, sum: 0 }
      rows.set(name, { least: Math.min(least, count), sum: sum + count })
    }
  }
  return rows
}

/** Outcomes of each method: sent by itself, by contracts, with the remarks that labels have. */
function byMethod(reports: readonly Report[]): Map<string, Record<string, number>> {
  const methodsOf = new Map<string, Record<string, number>>()
  for (const { outcomes } of reports) {
    for (const [key, count] of Object.entries(outcomes)) {
      const [label = '', outcome = ''] = key.split('\t')
      const words = label.split(' ')
      const method = words.find((word) => METHOD_NAMES.includes(word)) ?? words.join(' ')
      const way = words.includes('by') ? 'by contract: ' : ''
      const row = methodsOf.get(method) ?? {}
      row[`${way}${outcome}`] = (row[`${way}${outcome}`] ?? 0) + count
      methodsOf.set(method, row)
    }
  }
  return new Map([...methodsOf].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function markdown(): string {
  const names = [...new Set(totals.flatMap(({ rows }) => [...rows.keys()]))]
  const cells = (name: string) =>
    totals.map(({ rows }) => {
      const row = rows.get(name)
      return row === undefined ? ' | ' : `${row.least.toLocaleString('en')} | ${row.sum.toLocaleString('en')}`
    })
  const said = (same: boolean | null) => (same === null ? 'not asked' : same ? 'same' : 'OTHER')
  return [
    '# Chains of Bridge calls in the reference',
    '',
    'Made by `test/bridge/chains/main.ts`, imported by RSKj from the exported blocks; joined by `test/bridge/chains/summary.ts`.',
    '',
    '## What the chains come to',
    '',
    `Least of a chain, and the sum of ${TABLES.map((table) => `${chains.filter((each) => each.table === table).length} (${table})`).join(', ')}. Peg-ins count where the Bridge has an event for them, from RSKIP146 on.`,
    '',
    `| | ${TABLES.map((table) => `${table}, least | sum`).join(' | ')} |`,
    `| --- | ${TABLES.map(() => '--- | ---').join(' | ')} |`,
    ...names.map((name) => `| ${name} | ${cells(name).join(' | ')} |`),
    '',
    '## Heads',
    '',
    'The whole hashes are in the JSON beside this file.',
    '',
    '| table | seed | blocks | head | state root | reference |',
    '| --- | --- | --- | --- | --- | --- |',
    ...chains.map(
      ({ table, seed, blocks, hash, stateRoot, same }) =>
        `| ${table} | ${seed} | ${blocks} | ${hash.slice(0, HASH_DIGITS)} | ${stateRoot.slice(0, HASH_DIGITS)} | ${said(same)} |`,
    ),
    '',
    '## Calls by method and outcome',
    '',
    'An outcome is what failed, the events of the Bridge, and for calls by contracts the answer, where it is a code; a bare success is a dash. Before its rule a method fails; junk calls are among them.',
    '',
    ...TABLES.flatMap((table) => [
      `### ${table}`,
      '',
      '| method | outcomes |',
      '| --- | --- |',
      ...[...(methods.get(table) ?? [])].map(([method, outcomes]) => `| ${method} | ${listed(outcomes)} |`),
      '',
    ]),
  ].join('\n')
}

function listed(outcomes: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(outcomes).sort(([, a], [, b]) => b - a)
  return sorted.map(([outcome, count]) => `${count.toLocaleString('en')} ${outcome}`).join('; ')
}
