import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isBarrel, ROOT, readSources, resolveImport, type SourceFile } from '../support/sources.ts'

/** Folders from the top down: the rows of the table in src/README.md. */
const ORDER: readonly string[] = [
  ...readFileSync(join(ROOT, 'src/README.md'), 'utf8').matchAll(/^\| `(\w+)\/` \|/gm),
].map((row) => row[1] as string)

/** Folders that all others may use and that use only one another. */
const SHARED: readonly string[] = ['config', 'observe', 'util']

/** Folders that no other imports and that import none: the modules of the page run in a browser. */
const STANDS_ALONE: readonly string[] = ['page']

/** Packages and files that one folder alone may import. */
const OWNED: readonly [specifier: RegExp, folder: string][] = [
  [/^uWebSockets\.js$/, 'front'],
  [/^piscina$/, 'workers'],
  [/^lmdb$/, 'storage'],
  [/^@chainsafe\//, 'snapshot'],
  [/^bitcoinjs-lib$/, 'rehearsal'],
  [/^@nats-io\//, 'fleet'],
  [/^(commander|cli-progress)$/, 'cli'],
  [/^(pino|pino-pretty|prom-client)$/, 'observe'],
  [/native\/addon\//, 'native'],
]

/** Files that sockets need nothing of: they make the JSON-RPC service or run its methods. */
const COMPOSITION = /^\.\.\/(workers\/|rpc\/methods\.ts|gateway\/(router|scheduler\/dispatcher)\.ts)/

/** Names of the gateway that the front imports, counted in each file. */
const MAX_GATEWAY_NAMES = 29

/** Longest source file, in lines. */
const MAX_LINES = 500

type Import = {
  readonly from: string
  readonly to: string
  readonly file: string
  readonly specifier: string
}

const sources = readSources('src')
const imports = sources.flatMap(importsBetweenFolders)

t.test('imports go down the table of src/README.md', (t) => {
  t.ok(imports.length > 0)
  t.same(imports.filter(goesUp).map(describe), [])
  t.end()
})

t.test('a package or the addon has one folder that imports it', (t) => {
  const strays = sources.flatMap(({ path, imports }) =>
    imports
      .filter((specifier) =>
        OWNED.some(([owned, folder]) => owned.test(specifier) && folderOf(path) !== folder),
      )
      .map((specifier) => `${path} imports ${specifier}`),
  )
  t.same(strays, [])
  t.end()
})

t.test('the front knows sockets: what requests are answered with is composed in node/', (t) => {
  const front = sources.filter(({ path }) => folderOf(path) === 'front')
  t.ok(front.length > 20)
  t.same(front.flatMap(importsBetweenFolders).filter(composes).map(describe), [])
  const names = front.flatMap(({ text }) => namesOf(text, '../gateway/'))
  t.ok(names.length > 0 && names.length <= MAX_GATEWAY_NAMES, `${names.length}: ${names.join(', ')}`)
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
    sources.filter(({ text }) => text.split('\n').length > MAX_LINES).map(({ path }) => path),
    [],
  )
  t.end()
})

t.test('the rules above find what they forbid', (t) => {
  const file = (path: string, ...imports: string[]): SourceFile => ({ path, text: '', imports })
  t.ok(importsBetweenFolders(file('chain/a.ts', '../rpc/b.ts')).every(goesUp))
  t.ok(importsBetweenFolders(file('util/a.ts', '../chain/b.ts')).every(goesUp))
  t.ok(importsBetweenFolders(file('unknown/a.ts', '../chain/b.ts')).every(goesUp))
  t.ok(importsBetweenFolders(file('chain/a.ts', '../unknown/b.ts')).every(goesUp))
  t.ok(importsBetweenFolders(file('p2p/a.ts', '../sync/b.ts')).every(goesUp))
  t.ok(importsBetweenFolders(file('txpool/a.ts', '../mining/b.ts')).every(goesUp))
  t.ok(importsBetweenFolders(file('cli/a.ts', '../page/b.js')).every(goesUp))
  t.notOk(importsBetweenFolders(file('sync/a.ts', '../p2p/b.ts')).some(goesUp))
  t.notOk(importsBetweenFolders(file('rpc/eth/a.ts', '../../chain/b.ts')).some(goesUp))
  t.notOk(importsBetweenFolders(file('chain/a.ts', '../util/b.ts')).some(goesUp))
  t.ok(importsBetweenFolders(file('front/a.ts', '../gateway/router.ts', '../workers/b.ts')).every(composes))
  t.notOk(importsBetweenFolders(file('front/a.ts', '../gateway/gateway.ts')).some(composes))
  t.same(namesOf("import {\n  a,\n  type B,\n} from '../gateway/c.ts'\n", '../gateway/'), ['a', 'B'])
  t.same(namesOf("import { a } from '../rpc/c.ts'\n", '../gateway/'), [])
  t.ok(isBarrel("export { a } from './a.ts'\nexport * from './b.ts'\n"))
  t.ok(isBarrel("import { a } from './a.ts'\nexport { a }\n"))
  t.notOk(isBarrel("import { a } from './a.ts'\nexport const b = a\n"))
  t.end()
})

t.test('the table names the folders that exist', (t) => {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && sources.some(({ path }) => folderOf(path) === entry.name))
    .map(({ name }) => name)
  t.same([...ORDER].sort(), folders.sort())
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

function importsBetweenFolders({ path, imports }: SourceFile): Import[] {
  return imports
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ specifier, target: resolveImport(`src/${path}`, specifier) }))
    .filter(({ target }) => target.startsWith('src/'))
    .map(({ specifier, target }) => ({
      from: folderOf(path),
      to: folderOf(target.slice('src/'.length)),
      file: path,
      specifier,
    }))
    .filter(({ from, to }) => from !== to)
}

function composes({ specifier }: Import): boolean {
  return COMPOSITION.test(specifier)
}

/** The names that a file imports from below a folder. */
function namesOf(text: string, folder: string): string[] {
  return [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '([^']*)'$/gm)]
    .filter(([, , specifier = '']) => specifier.startsWith(folder))
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.replace('type ', '').trim())
    .filter((name) => name !== '')
}

function goesUp({ from, to }: Import): boolean {
  if (SHARED.includes(to)) return false
  if (SHARED.includes(from) || STANDS_ALONE.includes(from) || STANDS_ALONE.includes(to)) return true
  const [above, below] = [ORDER.indexOf(from), ORDER.indexOf(to)]
  return above < 0 || below < above
}

function folderOf(path: string): string {
  return path.split('/')[0] as string
}

function describe({ file, specifier }: Import): string {
  return `${file} imports ${specifier}`
}
