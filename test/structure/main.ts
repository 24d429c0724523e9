import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { rustReferences } from './rustReferences.ts'

/**
 * Prints how the sources of a checkout are composed: files and lines by folder, names that one folder imports of another,
 * and files that import one another in a circle: in TypeScript by types alone or not, in Rust within a crate.
 */
const { values } = parseArgs({
  options: {
    /** Checkout to look at. */
    root: { type: 'string', default: process.cwd() },
    /** Rows of the longest tables. */
    rows: { type: 'string', default: '15' },
  },
})

interface Edge {
  readonly from: string
  readonly to: string
  readonly names: number
  readonly isType: boolean
}

const IMPORT = /^(?:import|export) (type )?(?:\{([^}]*)\}|[^'{]*?)(?: from)? ?'(\.[^']*)'/gm
const paths = execFileSync('git', ['ls-files', 'src', 'native/crates'], {
  cwd: values.root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(ts|rs)$/.test(path) && !path.endsWith('.d.ts'))
const texts = new Map(paths.map((path) => [path, readFileSync(join(values.root, path), 'utf8')]))
const edges = paths.flatMap((path) => edgesOf(path, texts.get(path) ?? ''))
const all = circles(edges)
const withoutTypes = circles(edges.filter(({ isType }) => !isType))
const rust = circles(rustReferences(texts))

print('Folders', ['folder', 'files', 'lines'], foldersOf())
print('Names that cross', ['from → to', 'names'], crossingsOf())
print(
  'Circles of files',
  ['kind', 'circles', 'files'],
  [
    ['TypeScript, any import', all.length, all.flat().length],
    ['TypeScript without those of types', withoutTypes.length, withoutTypes.flat().length],
    ['Rust', rust.length, rust.flat().length],
  ],
)
for (const circle of [...all, ...rust]) {
  console.log(`- ${circle.map((path) => path.replace(/^src\/|^native\/crates\//, '')).join(', ')}`)
}

function edgesOf(path: string, text: string): Edge[] {
  return [...text.matchAll(IMPORT)].flatMap(([, type = '', names = '', specifier = '']) => {
    const to = join(path, '..', specifier)
    const listed = names.split(',').filter((name) => name.trim() !== '')
    const isType = type !== '' || (listed.length > 0 && listed.every((name) => /^\s*type /.test(name)))
    return texts.has(to) ? [{ from: path, to, names: Math.max(1, listed.length), isType }] : []
  })
}

/** `src/rpc` of a file below it, `native/crates/evm` of one of Rust. */
function folderOf(path: string): string {
  return path.split('/', path.startsWith('native') ? 3 : 2).join('/')
}

function foldersOf(): (string | number)[][] {
  const folders = new Map<string, [files: number, lines: number]>()
  for (const [path, text] of texts) {
    const [files, lines] = folders.get(folderOf(path)) ?? [0, 0]
    folders.set(folderOf(path), [files + 1, lines + text.split('\n').length - 1])
  }
  return [...folders].map(([folder, counts]) => [folder, ...counts])
}

function crossingsOf(): (string | number)[][] {
  const names = new Map<string, number>()
  for (const edge of edges) {
    const [from, to] = [folderOf(edge.from), folderOf(edge.to)]
    if (from !== to) names.set(`${from} → ${to}`, (names.get(`${from} → ${to}`) ?? 0) + edge.names)
  }
  const total = [...names.values()].reduce((sum, count) => sum + count, 0)
  const rows = [...names].sort(([, one], [, other]) => other - one).slice(0, Number(values.rows))
  return [['all', total], ...rows]
}

/** Groups of files of which each reaches each by imports (Tarjan). */
function circles(given: readonly Pick<Edge, 'from' | 'to'>[]): string[][] {
  const next = new Map<string, string[]>()
  for (const { from, to } of given) next.set(from, [...(next.get(from) ?? []), to])
  const [index, low, stack, found] = [
    new Map<string, number>(),
    new Map<string, number>(),
    [] as string[],
    [] as string[][],
  ]
  const visit = (path: string) => {
    index.set(path, index.size)
    low.set(path, index.get(path) ?? 0)
    stack.push(path)
    for (const to of next.get(path) ?? []) {
      if (!index.has(to)) visit(to)
      if (index.has(to) && stack.includes(to)) low.set(path, Math.min(low.get(path) ?? 0, low.get(to) ?? 0))
    }
    if (low.get(path) !== index.get(path)) return
    const group = stack.splice(stack.indexOf(path))
    if (group.length > 1) found.push(group.sort())
  }
  for (const path of next.keys()) if (!index.has(path)) visit(path)
  return found
}

function print(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const lines = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  console.log(`## ${title}\n\n${lines.join('\n')}\n`)
}
