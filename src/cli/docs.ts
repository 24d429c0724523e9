import { configReference } from '../config/reference.ts'
import { METHODS, UNSUPPORTED_METHODS } from '../rpc/methods.ts'
import { replaceGeneratedSection } from '../util/generatedSection.ts'
import { EXIT_CODE_TEXTS } from './exitCodes.ts'
import { costTable } from './methodTable/costTable.ts'
import { methodTable } from './methodTable/methodTable.ts'

/** The text of each generated section of the README by its name. */
export const README_SECTIONS: Readonly<Record<string, () => string>> = {
  config: configReference,
  methods: () => methodTable(METHODS, UNSUPPORTED_METHODS),
  costs: () => costTable(METHODS),
  'exit-codes': () =>
    [
      '| exit code | meaning |',
      '|---|---|',
      ...Object.entries(EXIT_CODE_TEXTS).map(([code, text]) => `| ${code} | ${text} |`),
    ].join('\n'),
}

/** The README with every generated section made anew. */
export function refreshReadme(readme: string): string {
  return Object.entries(README_SECTIONS).reduce(
    (text, [name, content]) => replaceGeneratedSection(text, name, content()),
    readme,
  )
}
