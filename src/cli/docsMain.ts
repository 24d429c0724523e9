import { readFileSync, writeFileSync } from 'node:fs'
import { refreshReadme } from './docs.ts'

// Run by `npm run docs`: writes the generated sections of the README.
const path = new URL('../../README.md', import.meta.url)
writeFileSync(path, refreshReadme(readFileSync(path, 'utf8')))
