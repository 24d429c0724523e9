import { readFileSync, writeFileSync } from 'node:fs'
import { GENERATED_DOCUMENTS, refreshDocument } from './docs.ts'

// Run by `npm run docs`: writes the generated sections of the READMEs.
for (const [path, sections] of Object.entries(GENERATED_DOCUMENTS)) {
  const url = new URL(`../../${path}`, import.meta.url)
  writeFileSync(url, refreshDocument(readFileSync(url, 'utf8'), sections))
}
