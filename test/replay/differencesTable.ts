import { replaceGeneratedSection } from '../../src/util/generatedSection.ts'
import { LISTED_DIFFERENCES } from './differences.ts'

/** Where the sheets stand that a reason may cite, from the folder of the document. */
const SHEETS: Readonly<Record<string, string>> = {
  decisions: '../decisions.md',
  specification: 'specification.md',
}

/** The table of differences as src/rpc/README.md shows it. */
export function differencesTable(): string {
  return [
    '| methods | here | why |',
    '|---|---|---|',
    ...LISTED_DIFFERENCES.map(
      ({ methods, what, why }) => `| ${cell(methods)} | ${cell(what)} | ${linked(cell(why))} |`,
    ),
  ].join('\n')
}

/** The document with the table made anew. */
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
