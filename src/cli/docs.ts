import { configReference } from '../config/reference.ts'
import { METHODS, UNSUPPORTED_METHODS } from '../rpc/methods.ts'
import { replaceGeneratedSection } from '../util/generatedSection.ts'
import { EXIT_CODE_TEXTS } from './exitCodes.ts'
import { costTable } from './methodTable/costTable.ts'
import { methodTable } from './methodTable/methodTable.ts'

/** The generated sections of a document by name, with the functions that generate them. */
type Sections = Readonly<Record<string, () => string>>

/** The documents with generated sections, by their path from the root of the checkout. */
export const GENERATED_DOCUMENTS: Readonly<Record<string, Sections>> = {
  'src/cli/README.md': {
    'exit-codes': () =>
      [
        '| exit code | meaning |',
        '|---|---|',
        ...Object.entries(EXIT_CODE_TEXTS).map(([code, text]) => `| ${code} | ${text} |`),
      ].join('\n'),
  },
  'src/config/README.md': { config: configReference },
  'src/gateway/access/README.md': { costs: () => costTable(METHODS) },
  'src/rpc/README.md': { methods: () => methodTable(METHODS, UNSUPPORTED_METHODS) },
}

/** A document with all of its generated sections refreshed. */
export function refreshDocument(document: string, sections: Sections): string {
  return Object.entries(sections).reduce(
    (text, [name, content]) => replaceGeneratedSection(text, name, content()),
    document,
  )
}
