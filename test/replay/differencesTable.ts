import { replaceGeneratedSection } from '../../src/util/generatedSection.ts'
import { LISTED_DIFFERENCES } from './differences.ts'

/** Where the sheets stand that a reason may cite, from the README. */
const SHEETS: Readonly<Record<string, string>> = {
  decisions: 'src/decisions.md',
  specification: 'src/rpc/specification.md',
}

/** The table of differences as the README shows it. */
export function differencesTable(): string {
  return [
    '| methods | here | why |',
    '|---|---|---|',
    ...LISTED_DIFFERENCES.map(
      ({ methods, what, why }) => `| ${cell(methods)} | ${cell(what)} | ${linked(cell(why))} |`,
    ),
  ].join('\n')
}

/** The README with the table made anew. */
export function refreshDifferences(readme: string): string {
  return replaceGeneratedSection(readme, 'differences', differencesTable())
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
