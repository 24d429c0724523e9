import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isBarrel, ROOT, readSources, resolveImport, type SourceFile } from '../support/sources.ts'

/** Rooms from the top down; rooms on one line stand side by side. */
const LEVELS: readonly (readonly string[])[] = [
  ['cli', 'library'],
  ['rehearsal'],
  ['node'],
  ['front'],
  ['gateway'],
  ['workers'],
  ['rpc'],
  ['snapshot'],
  ['filters', 'txpool', 'mining', 'wallet', 'sync', 'p2p'],
  ['execution'],
  ['chain'],
  ['state'],
  ['storage'],
  ['native'],
]

/** Rooms that all others may use and that use only one another. */
const SHARED: readonly string[] = ['config', 'observe', 'util']

/** Packages and files that one room alone may import. */
const OWNED: readonly [specifier: RegExp, room: string][] = [
  [/^uWebSockets\.js$/, 'front'],
  [/^piscina$/, 'workers'],
  [/^lmdb$/, 'storage'],
  [/^@chainsafe\/blst$/, 'snapshot'],
  [/^bitcoinjs-lib$/, 'rehearsal'],
  [/^(commander|cli-progress)$/, 'cli'],
  [/^(pino|pino-pretty|prom-client)$/, 'observe'],
  [/native\/addon\//, 'native'],
]

/** Longest source file, in lines. */
const MAXIMUM_LINES = 500

type Import = {
  readonly from: string
  readonly to: string
  readonly file: string
  readonly specifier: string
}

const sources = readSources('src')
const imports = sources.flatMap(importsBetweenRooms)

t.test('imports go down', (t) => {
  t.ok(imports.length > 0)
  t.same(imports.filter(goesUp).map(describe), [])
  t.end()
})

t.test('rooms side by side do not import one another in circles', (t) => {
  const sideways = imports.filter(({ from, to }) => levelOf(from) === levelOf(to) && levelOf(from) >= 0)
  const reaches = (from: string, goal: string, seen: readonly string[]): boolean =>
    sideways.some(
      (next) =>
        next.from === from &&
        (next.to === goal || (!seen.includes(next.to) && reaches(next.to, goal, [...seen, next.to]))),
    )
  t.same(sideways.filter(({ from, to }) => reaches(to, from, [to])).map(describe), [])
  t.end()
})

t.test('a package or the addon has one room that imports it', (t) => {
  const strays = sources.flatMap(({ path, imports }) =>
    imports
      .filter((specifier) => OWNED.some(([owned, room]) => owned.test(specifier) && roomOf(path) !== room))
      .map((specifier) => `${path} imports ${specifier}`),
  )
  t.same(strays, [])
  t.end()
})

t.test('files are named with their ending and exist', (t) => {
  const paths = new Set(sources.map(({ path }) => `src/${path}`))
  const broken = sources.flatMap(({ path, imports }) =>
    imports
      .filter((specifier) => specifier.startsWith('.') && !specifier.endsWith('.d.ts'))
      .map((specifier) => ({ specifier, target: resolveImport(`src/${path}`, specifier) }))
      .filter(
        ({ target }) => !paths.has(target) && (target.startsWith('src/') || !existsSync(join(ROOT, target))),
      )
      .map(({ specifier }) => `${path} imports ${specifier}`),
  )
  t.same(broken, [])
  t.end()
})

t.test('there are no barrel files and none that is too long', (t) => {
  t.same(
    sources.filter(({ text }) => isBarrel(text)).map(({ path }) => path),
    [],
  )
  t.same(
    sources.filter(({ text }) => text.split('\n').length > MAXIMUM_LINES).map(({ path }) => path),
    [],
  )
  t.end()
})

t.test('the rules above find what they forbid', (t) => {
  const file = (path: string, ...imports: string[]): SourceFile => ({ path, text: '', imports })
  t.ok(importsBetweenRooms(file('chain/a.ts', '../rpc/b.ts')).every(goesUp))
  t.ok(importsBetweenRooms(file('util/a.ts', '../chain/b.ts')).every(goesUp))
  t.ok(importsBetweenRooms(file('unknown/a.ts', '../chain/b.ts')).every(goesUp))
  t.notOk(importsBetweenRooms(file('rpc/eth/a.ts', '../../chain/b.ts')).some(goesUp))
  t.notOk(importsBetweenRooms(file('chain/a.ts', '../util/b.ts')).some(goesUp))
  t.ok(isBarrel("export { a } from './a.ts'\nexport * from './b.ts'\n"))
  t.ok(isBarrel("import { a } from './a.ts'\nexport { a }\n"))
  t.notOk(isBarrel("import { a } from './a.ts'\nexport const b = a\n"))
  t.end()
})

t.test('the table of rooms names the folders that exist', (t) => {
  const readme = readFileSync(join(ROOT, 'src/README.md'), 'utf8')
  const named = [...readme.matchAll(/^\| `(\w+)\/` \|/gm)].map((match) => match[1])
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && sources.some(({ path }) => roomOf(path) === entry.name))
    .map(({ name }) => name)
  t.same([...named].sort(), folders.sort())
  t.end()
})

t.test('the files that the READMEs of the source name exist', async (t) => {
  const paths = new Set(sources.map(({ path }) => path))
  const readmes = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('README.md'),
  )
  t.ok(readmes.length > 10)
  const named = readmes.flatMap((readme) =>
    [...readFileSync(join(ROOT, 'src', readme), 'utf8').matchAll(/`([\w/]+\.ts)`/g)].map(
      (match) => [readme, match[1] as string] as const,
    ),
  )
  t.ok(named.length > 0)
  t.same(
    named.filter(([, path]) => !paths.has(path)),
    [],
  )
})

t.test('the map of the source stays one that is read in five minutes', async (t) => {
  const lines = readFileSync(join(ROOT, 'src/README.md'), 'utf8').split('\n')
  t.ok(lines.length <= 150, `${lines.length} lines`)
  const words = lines.join(' ').split(/\s+/).length
  t.ok(words <= 1800, `${words} words`)
})

function importsBetweenRooms({ path, imports }: SourceFile): Import[] {
  return imports
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ specifier, target: resolveImport(`src/${path}`, specifier) }))
    .filter(({ target }) => target.startsWith('src/'))
    .map(({ specifier, target }) => ({
      from: roomOf(path),
      to: roomOf(target.slice('src/'.length)),
      file: path,
      specifier,
    }))
    .filter(({ from, to }) => from !== to)
}

function goesUp({ from, to }: Import): boolean {
  if (SHARED.includes(to)) return false
  if (SHARED.includes(from)) return true
  return levelOf(from) < 0 || levelOf(to) < 0 || levelOf(to) < levelOf(from)
}

function levelOf(room: string): number {
  return LEVELS.findIndex((rooms) => rooms.includes(room))
}

function roomOf(path: string): string {
  return path.split('/')[0] as string
}

function describe({ file, specifier }: Import): string {
  return `${file} imports ${specifier}`
}
