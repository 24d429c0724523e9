import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ROOT } from '../support/sources.ts'

/** What lies beside a checkout; in pieces, so that this file holds none of it. */
const BESIDE = [['..', 'shared'].join('/'), ['shared', 'vectors'].join('/')]

/** Folders of a checkout whose files are looked at, with those at the top. */
const FOLDERS = ['src', 'test', 'native', 'bench', '.ci', '.deploy', '.github']

/** Folders of what is installed, built and measured. */
const MADE = new Set([
  'node_modules',
  'target',
  'logs',
  'tmp',
  '.tap',
  'corpus',
  'artifacts',
  'cargo',
  'build',
])

/** Compressed data, pictures and libraries hold no text. */
const BINARY = /\.(zst|png|node)$/

t.test('a checkout names nothing that lies beside it', (t) => {
  const top = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isFile())
  const files = [...top.map(({ name }) => name), ...FOLDERS.flatMap(filesBelow)]
  t.ok(files.includes('package.json') && files.includes('src/README.md'), 'the files are found')
  t.same(files.filter((file) => !BINARY.test(file)).flatMap(mentions), [])
  t.end()
})

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return MADE.has(entry.name) ? [] : filesBelow(path)
    return entry.isFile() ? [path] : []
  })
}

function mentions(file: string): string[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n')
  return lines.flatMap((line, index) =>
    BESIDE.some((name) => line.includes(name)) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
  )
}
