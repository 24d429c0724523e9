import { replaceGeneratedSection } from '../../src/util/generatedSection.ts'
import { LISTED_DIFFERENCES } from './differences.ts'

/** The table of differences as the README shows it. */
export function differencesTable(): string {
  return [
    '| methods | here | why |',
    '|---|---|---|',
    ...LISTED_DIFFERENCES.map(
      ({ methods, what, why }) => `| ${cell(methods)} | ${cell(what)} | ${cell(why)} |`,
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
