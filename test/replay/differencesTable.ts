import { replaceGeneratedSection } from '../../src/util/generatedSection.ts'
import { type DifferenceTopic, LISTED_DIFFERENCES } from './differences.ts'

/** Paths of the sheets that a reason may cite, from the folder of the document. */
const SHEETS: Readonly<Record<string, string>> = {
  decisions: '../decisions.md',
  specification: 'specification.md',
}

/** Headings of what changes for clients, in the order in which they are shown. */
const CLIENT_TOPICS: Readonly<Record<Exclude<DifferenceTopic, 'operations'>, string>> = {
  http: 'HTTP',
  protocol: 'Batches, notifications and ids',
  errors: 'Errors',
  reads: 'Blocks, accounts and parameters',
  calls: 'Calls and gas estimates',
  transactions: 'Transactions and mining',
  logs: 'Logs, filters and subscriptions',
  traces: 'Traces',
  methods: 'Methods that only one of the nodes has',
}

/** The differences as src/rpc/README.md shows them: for clients by topic, then for operators. */
export function differencesTable(): string {
  return [
    '### What changes for your client',
    ...Object.entries(CLIENT_TOPICS).flatMap(([topic, title]) => [
      `#### ${title}`,
      tableOf(topic as DifferenceTopic),
    ]),
    '### What changes for your operations',
    tableOf('operations'),
  ].join('\n\n')
}

function tableOf(wanted: DifferenceTopic): string {
  return [
    '| methods | here | why |',
    '|---|---|---|',
    ...LISTED_DIFFERENCES.filter(({ topic }) => topic === wanted).map(
      ({ methods, what, why }) => `| ${cell(methods)} | ${cell(what)} | ${linked(cell(why))} |`,
    ),
  ].join('\n')
}

/** The document with the differences generated anew. */
export function refreshDifferences(document: string): string {
  return replaceGeneratedSection(document, 'differences', differencesTable())
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*')
}

function linked(text: string): string {
  return text.replaceAll(
    /\b(decisions|specification)\.md( D\d+)?/g,
    (citation, sheet) => `[${citation}](${SHEETS[sheet]})`,
  )
}
