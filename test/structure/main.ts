import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Prints how the sources of a checkout are composed: files and lines by folder, names that one folder imports of another,
 * and files that import one another in a circle, by types alone or not; files of a Rust crate that use one another.
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
const modules = paths.flatMap((path) => usesOf(path, texts.get(path) ?? ''))
const all = circles(edges)
const inRust = circles(modules)
const withoutTypes = circles(edges.filter(({ isType }) => !isType))

print('Folders', ['folder', 'files', 'lines'], foldersOf())
print('Names that cross', ['from → to', 'names'], crossingsOf())
print(
  'Circles of files',
  ['kind', 'circles', 'files'],
  [
    ['any import', all.length, all.flat().length],
    ['without those of types', withoutTypes.length, withoutTypes.flat().length],
    ['modules of a crate', inRust.length, inRust.flat().length],
  ],
)
for (const circle of [...all, ...inRust])
  console.log(`- ${circle.map((path) => path.replace(/^src\/|^native\/crates\//, '')).join(', ')}`)

function edgesOf(path: string, text: string): Edge[] {
  return [...text.matchAll(IMPORT)].flatMap(([, type = '', names = '', specifier = '']) => {
    const to = join(path, '..', specifier)
    const listed = names.split(',').filter((name) => name.trim() !== '')
    const isType = type !== '' || (listed.length > 0 && listed.every((name) => /^\s*type /.test(name)))
    return texts.has(to) ? [{ from: path, to, names: Math.max(1, listed.length), isType }] : []
  })
}

/** The files of its own crate that a file of Rust uses by `use crate::` or `use super::`, outside of its tests. */
function usesOf(path: string, text: string): Edge[] {
  const [, source, place] = /^(native\/crates\/[^/]+\/src)\/(.*)\.rs$/.exec(path) ?? []
  if (source === undefined || place === undefined) return []
  const own = place.split('/').filter((name) => name !== 'mod' && name !== 'lib')
  const [code = ''] = text.split('#[cfg(test)]', 1)
  const targets = [...code.matchAll(/^(?:pub(?:\([^)]*\))? )?use (crate|super)::([^;]+);/gm)].flatMap(
    ([, from, tree = '']) => {
      const base = from === 'crate' ? [] : own.slice(0, -1)
      return pathsOf(tree.replace(/\s+/g, ' ')).map((names) => fileOf(source, [...base, ...names]))
    },
  )
  return [...new Set(targets)].flatMap((to) =>
    to === null || to === path ? [] : [{ from: path, to, names: 1, isType: false }],
  )
}

/** The paths of a tree such as `a::{b, c::{d, e}}`. */
function pathsOf(tree: string): string[][] {
  const open = tree.indexOf('{')
  if (open < 0) return [tree.split('::').map((name) => name.replace(/ as .*/, '').trim())]
  const head = tree
    .slice(0, open)
    .split('::')
    .filter((name) => name.trim() !== '')
  const parts: string[] = ['']
  let depth = 0
  for (const character of tree.slice(open + 1, tree.lastIndexOf('}'))) {
    if (character === '{') depth += 1
    if (character === '}') depth -= 1
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  const named = parts.map((part) => part.trim()).filter((part) => part !== '')
  return named.flatMap(pathsOf).map((names) => [...head.map((name) => name.trim()), ...names])
}

/** The file of the module that a path leads into; null for what the root of the crate has. */
function fileOf(source: string, names: readonly string[]): string | null {
  for (let length = names.length; length > 0; length -= 1) {
    const stem = join(source, ...names.slice(0, length))
    const found = [`${stem}.rs`, `${stem}/mod.rs`].find((path) => texts.has(path))
    if (found !== undefined) return found
  }
  return null
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
function circles(given: readonly Edge[]): string[][] {
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
