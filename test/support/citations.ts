import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { ROOT } from './sources.ts'

/** The sheets that may be cited, by name, and where they stand. */
export const SHEET_PATHS: Readonly<Record<string, string>> = {
  consensus: 'src/chain/consensus.md',
  evm: 'native/crates/evm/evm.md',
  rpc: 'src/rpc/rpc.md',
  mining: 'src/mining/mining.md',
  bridge: 'native/crates/bridge/bridge.md',
  p2p: 'src/p2p/p2p.md',
  fleet: 'src/fleet/fleet.md',
  decisions: 'src/decisions.md',
  specification: 'src/rpc/specification.md',
}

/** What of a sheet can be cited. */
export interface Sheet {
  /** Text of each numbered section with those below it, by its number. */
  readonly sections: ReadonlyMap<string, string>
  /** Headings without what stands in parentheses behind them. */
  readonly headings: readonly string[]
  /** Numbers of the rows of decisions. */
  readonly rows: ReadonlySet<string>
}

/** A file in which citations are looked for, by its path from the root. */
export interface CitingFile {
  readonly path: string
  readonly text: string
}

/** One cited reference, and what is wrong with it, or null. */
export interface Citation {
  readonly sheet: string
  readonly reference: string
  readonly fault: string | null
}

/** Folders and files that are read for citations. */
const CITING = ['src', 'test', 'native', 'bench', '.ci', '.github', '.deploy', 'README.md']
/** What a build or a run leaves there, and data. */
const LEFT_OUT = /(^|\/)(node_modules|target|corpus|artifacts|dist|addon\/cargo)(\/|$)/
const TEXT = /\.(ts|js|mjs|rs|md|toml|ya?ml|sh|html|css|service)$|\/(run|Dockerfile|Containerfile)$/
/** Names under which rules once stood outside of the repository. */
const OUTSIDE =
  /\bfacts\/|\bdesign\.md|rpc-service|\bevm-engine|\([Ss]pecification[,;)]|\b[Dd]ecisions? \d|\b[Ii]ssue of the\b/g
const SECTION = /^(,|;| and| to| or)? ?§(\d+(?:\.\d+)*)/
const ITEMS = /^ (?:steps?|rules?|rows?|items?) (\d+)(?:(?: to|-| and|,) ?(\d+))?(?![\d.]\d)/
const ROW = /^(,|;| and| to| or)? ?D(\d+)\b/
/** Standards of others have sections, too. */
const FOREIGN = /(RFC|FIPS|EIP|NIST)[ \w-]*$/

/** The text files of the folders, but for those that are named. */
export function readCitingFiles(without: readonly string[]): CitingFile[] {
  const paths = CITING.flatMap((entry) =>
    entry.endsWith('.md')
      ? [entry]
      : readdirSync(join(ROOT, entry), { recursive: true, encoding: 'utf8' }).map((path) =>
          [entry, ...path.split(sep)].join('/'),
        ),
  )
  return paths
    .filter((path) => TEXT.test(path) && !LEFT_OUT.test(path) && !without.includes(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}

/** What can be cited of the text of a sheet. */
export function parseSheet(text: string): Sheet {
  const lines = text.split('\n')
  const titles = lines.flatMap((line, at) => {
    const title = /^(#{2,4}) (?:(\d+(?:\.\d+)*)\.? )?(.+)$/.exec(line)
    return title === null
      ? []
      : [{ at, level: title[1]?.length ?? 0, number: title[2], name: title[3] ?? '' }]
  })
  const sections = titles.flatMap(({ at, level, number }, index) => {
    if (number === undefined) return []
    const end = titles.slice(index + 1).find((next) => next.level <= level)?.at
    return [[number, lines.slice(at, end).join('\n')] as const]
  })
  return {
    sections: new Map(sections),
    headings: titles.map(({ name }) => name.replace(/ \(.*$/, '')),
    rows: new Set([...text.matchAll(/^\| D(\d+) \|/gm)].map((match) => match[1] as string)),
  }
}

/**
 * Every citation of a file. Lines of a comment are read as one; a bare `§` counts as a fault, in a sheet as one of
 * its own sections.
 */
export function findCitations(file: CitingFile, sheets: ReadonlyMap<string, Sheet>): Citation[] {
  const text = joinComments(file)
  const own = Object.entries(SHEET_PATHS).find(([, path]) => path === file.path)?.[0]
  const citations: Citation[] = []
  let end = 0
  for (const match of text.matchAll(/(?<path>(?:[\w.-]+\/)*)(?<name>[\w-]+)\.md\b|§/g)) {
    if (match.index < end) continue
    if (match.groups?.['name'] === undefined) {
      if (FOREIGN.test(text.slice(Math.max(0, match.index - 30), match.index))) continue
      const found =
        own === undefined
          ? [{ sheet: '', reference: text.slice(match.index, match.index + 8), fault: 'names no sheet' }]
          : readReferences(own, text.slice(match.index), sheets).references
      citations.push(...found)
      end = match.index + 1
      continue
    }
    const { path = '', name } = match.groups
    const rest = text.slice(match.index + match[0].length)
    if (!isSheet(path, name, file.path, rest)) continue
    const { references, length } = readReferences(name, rest.replace(/^`/, ''), sheets)
    citations.push(...references)
    end = match.index + match[0].length + length
  }
  for (const match of text.matchAll(OUTSIDE)) {
    citations.push({ sheet: '', reference: match[0], fault: 'is not in the repository' })
  }
  return citations
}

/** Whether a name that ends in `.md` is a sheet's, or is cited as one. */
function isSheet(path: string, name: string, file: string, rest: string): boolean {
  const sheet = SHEET_PATHS[name]
  if (sheet === undefined) return /^`? ?§/.test(rest)
  if (path === '') return !/^bench\/results\//.test(file)
  return [path, join(dirname(file), path), join('src', path)].some(
    (folder) => join(folder, basename(sheet)) === sheet,
  )
}

/** What is cited behind the name of a sheet, and how long its wording is. */
function readReferences(
  sheet: string,
  text: string,
  sheets: ReadonlyMap<string, Sheet>,
): { references: Citation[]; length: number } {
  const known = sheets.get(sheet)
  if (known === undefined)
    return { references: [{ sheet, reference: text.slice(0, 8), fault: 'no such sheet' }], length: 0 }
  const references: Citation[] = []
  const add = (reference: string, exists: boolean) =>
    references.push({ sheet, reference, fault: exists ? null : 'is not there' })
  let rest = text
  for (;;) {
    const section = SECTION.exec(rest)
    const row = ROW.exec(rest)
    const found = section ?? row
    if (found === null || (references.length > 0 && found[1] === undefined)) break
    rest = rest.slice(found[0].length)
    if (section === null) {
      add(`D${found[2]}`, known.rows.has(found[2] ?? ''))
      continue
    }
    const content = known.sections.get(found[2] ?? '')
    add(`§${found[2]}`, content !== undefined)
    const items = ITEMS.exec(rest)
    if (items === null) continue
    rest = rest.slice(items[0].length)
    for (const item of [items[1], items[2]]) {
      if (item !== undefined) add(`§${found[2]} item ${item}`, hasItem(content ?? '', item))
    }
  }
  if (references.length === 0) add(...readHeading(known, rest))
  return { references, length: text.length - rest.length }
}

/** The heading that a text begins with, and whether it is one; the whole sheet where none is cited. */
function readHeading({ headings, sections }: Sheet, text: string): [reference: string, exists: boolean] {
  const words = /^(?:\]\([^)]*\))? (?!Dn\b)([A-Z0-9].*)/.exec(text.slice(0, 80))?.[1]
  if (words === undefined || (sections.size > 0 && !/^\d/.test(words))) return ['whole', true]
  const heading = headings.find((name) => words.startsWith(name) && !/^\w/.test(words.slice(name.length)))
  return [heading ?? words, heading !== undefined]
}

/** Whether a list or table has an item of this number. */
function hasItem(section: string, item: string): boolean {
  return new RegExp(`(^|\\n\\| |\\n|[.;] )${item}(\\.| \\|)`).test(section)
}

/** The text with the lines of each comment as one. */
function joinComments({ path, text }: CitingFile): string {
  const plain = text.replaceAll(/\]\((?:[\w.-]+\/)*(\w+\.md)\)/g, ']')
  return path.endsWith('.md')
    ? plain.replaceAll(/\[([^\][]*\.md[^\][]*)\]/g, '$1')
    : text.replaceAll(/\n[ \t]*(?:\/\/[/!]?|\*(?!\/)|#)[ \t]*/g, ' ')
}
