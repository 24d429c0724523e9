import { readFileSync, writeFileSync } from 'node:fs'
import { refreshDifferences } from './differencesTable.ts'

// Run by `npm run docs`, after the sections that come of the program itself.
const path = new URL('../../src/rpc/README.md', import.meta.url)
writeFileSync(path, refreshDifferences(readFileSync(path, 'utf8')))
