/** A file of a Rust crate and one that it refers to. */
export interface RustReference {
  readonly from: string
  readonly to: string
}

/** A path of a `use`, with the name that it has afterwards; `*` for all names. */
interface Used {
  readonly path: readonly string[]
  readonly name: string
  readonly isPublic: boolean
}

/** A module with a file of its own. */
interface RustModule {
  readonly file: string
  /** Without comments, tests and `use`. */
  readonly text: string
  readonly used: readonly Used[]
}

type Crate = ReadonlyMap<string, RustModule>

const COMMENT = /\/\/.*|\/\*[\s\S]*?\*\//g
const TESTS = /#\[cfg\(test\)\]\s*mod \w+ \{[\s\S]*/
const USE = /(\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);/g
const PATH = /\b[a-z_]\w*(?:::\w+)+/g
/** Names that the members of a module are declared with. */
const declarationOf = (name: string) =>
  new RegExp(`\\b(?:fn|struct|enum|trait|type|const|static|union|mod|macro_rules!)\\s+${name}\\b`)
/** Re-exports of re-exports that are followed. */
const MAX_DEPTH = 8

/**
 * References between files of the same crate, tests left out: by `use`, and by paths in the text. A name that is passed
 * on by `pub use` counts as one of the file that declares it, and passing it on counts as none.
 * @param texts sources by path, of which those of Rust are read
 */
export function rustReferences(texts: ReadonlyMap<string, string>): RustReference[] {
  return [...cratesOf(texts).values()].flatMap((crate) =>
    [...crate].flatMap(([name, module]) => {
      const files = new Set(
        [
          ...module.used.filter(({ isPublic }) => !isPublic).map(({ path }) => path),
          ...[...module.text.matchAll(PATH)].map(([path]) => path.split('::')),
        ].flatMap((path) => fileOf(crate, name, path) ?? []),
      )
      files.delete(module.file)
      return [...files].map((to) => ({ from: module.file, to }))
    }),
  )
}

/** Modules by name, `a::b`, of each crate; the crate itself is the empty name. */
function cratesOf(texts: ReadonlyMap<string, string>): Map<string, Map<string, RustModule>> {
  const crates = new Map<string, Map<string, RustModule>>()
  for (const [file, text] of texts) {
    const [, crate, path = ''] = /^(native\/crates\/\w[\w-]*\/src)\/(.*)\.rs$/.exec(file) ?? []
    if (crate === undefined || path === 'main' || path.startsWith('bin/') || /(^|[/_])tests?$/.test(path))
      continue
    const name = path.replace(/(^|\/)(lib|mod)$/, '').replaceAll('/', '::')
    const modules = crates.get(crate) ?? new Map<string, RustModule>()
    crates.set(crate, modules.set(name, parseModule(file, text)))
  }
  return crates
}

function parseModule(file: string, source: string): RustModule {
  const clean = source.replace(COMMENT, '').replace(TESTS, '')
  const used = [...clean.matchAll(USE)].flatMap(([, isPublic, tree = '']) =>
    expand(tree.replace(/\s+/g, ' ').trim()).map((path) => toUsed(path, isPublic !== undefined)),
  )
  return { file, text: clean.replace(USE, ''), used }
}

/** Paths of a `use`: `a::{b, c::{d, e}}` has three. */
function expand(tree: string): string[] {
  const open = tree.indexOf('{')
  if (open < 0) return tree === '' ? [] : [tree]
  const prefix = tree.slice(0, open)
  return splitOutside(tree.slice(open + 1, tree.lastIndexOf('}'))).flatMap((part) =>
    expand(part).map((rest) => prefix + rest),
  )
}

/** Splits at the commas that are in no braces. */
function splitOutside(list: string): string[] {
  const parts: string[] = []
  let [depth, start] = [0, 0]
  for (let i = 0; i <= list.length; i += 1) {
    if (list[i] === '{') depth += 1
    if (list[i] === '}') depth -= 1
    if (i < list.length && (list[i] !== ',' || depth > 0)) continue
    parts.push(list.slice(start, i).trim())
    start = i + 1
  }
  return parts.filter((part) => part !== '')
}

function toUsed(text: string, isPublic: boolean): Used {
  const [whole = '', alias] = text.split(' as ')
  const segments = whole.trim().split('::')
  const path = segments.at(-1) === 'self' ? segments.slice(0, -1) : segments
  return { path, name: alias?.trim() ?? path.at(-1) ?? '', isPublic }
}

/** The file of the crate that declares what a path names; null for names of other crates. */
function fileOf(crate: Crate, module: string, path: readonly string[], depth = 0): string | null {
  const [first = '', ...rest] = path
  let at: string | null = null
  if (first === 'crate') at = ''
  else if (first === 'self') at = module
  else if (first === 'super') at = parentOf(module)
  else if (crate.has(join(module, first))) at = join(module, first)
  if (at === null || !crate.has(at)) return null
  for (const segment of rest) {
    const below: string = segment === 'super' ? parentOf(at) : join(at, segment)
    // Its file is one of another crate.
    if (!crate.has(below) && isDeclaredModule(crate.get(at), segment)) return null
    if (!crate.has(below)) return declaringFile(crate, at, segment, depth)
    at = below
  }
  return crate.get(at)?.file ?? null
}

function isDeclaredModule(module: RustModule | undefined, name: string): boolean {
  return module !== undefined && new RegExp(`\\bmod ${name};`).test(module.text)
}

function declaringFile(crate: Crate, module: string, name: string, depth: number): string | null {
  const found = crate.get(module)
  if (found === undefined) return null
  if (name === '*') return found.file
  if (depth > MAX_DEPTH || declarationOf(name).test(found.text)) return found.file
  const exact = found.used.find((used) => used.name === name)
  if (exact !== undefined) return fileOf(crate, module, exact.path, depth + 1)
  for (const { path } of found.used.filter((used) => used.name === '*')) {
    const file = fileOf(crate, module, [...path.slice(0, -1), name], depth + 1)
    if (file !== null) return file
  }
  return found.file
}

function parentOf(module: string): string {
  return module.split('::').slice(0, -1).join('::')
}

function join(module: string, name: string): string {
  return module === '' ? name : `${module}::${name}`
}
