import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type Compiler from 'typescript'

/** Loaded when sources are read: most tests want the root only, and run in less time than this takes. */
const compiler = (): typeof Compiler => createRequire(import.meta.url)('typescript')

/** The repository's root. */
export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url))

/** What `node --import` names to run a program from its sources. */
export const LOADER: string = new URL('../../.ci/loader.mjs', import.meta.url).href

/** A source file and what it imports. */
export type SourceFile = {
  /** Path below the given folder, with forward slashes. */
  readonly path: string
  readonly text: string
  /** Specifiers as written: static, dynamic and type imports, re-exports, and entries of worker threads. */
  readonly imports: readonly string[]
}

/** The TypeScript files below a folder of the repository, and the JavaScript of the page. */
export function readSources(folder: string): SourceFile[] {
  const base = join(ROOT, folder)
  return readdirSync(base, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[jt]s$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => {
      const text = readFileSync(join(base, path), 'utf8')
      return { path: path.split(sep).join('/'), text, imports: importsOf(text) }
    })
}

/** The path below the same folder that a relative import of a file means. */
export function resolveImport(file: string, specifier: string): string {
  return relative(ROOT, join(ROOT, dirname(file), specifier))
    .split(sep)
    .join('/')
}

/** Whether every statement of a file only hands on what other files export. */
export function isBarrel(text: string): boolean {
  const ts = compiler()
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true)
  const isReExport = (statement: Compiler.Statement) =>
    ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined
  const isImport = (statement: Compiler.Statement) => ts.isImportDeclaration(statement)
  const own = file.statements.filter((statement) => !isReExport(statement) && !isImport(statement))
  const bareExports = own.every((statement) => ts.isExportDeclaration(statement))
  return file.statements.some((statement) => ts.isExportDeclaration(statement)) && bareExports
}

function importsOf(text: string): string[] {
  const found = compiler()
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '')
  const workers = [...code.matchAll(/\bworkerEntry\(\s*'([^']+)'/g)].map((match) => match[1] as string)
  return [...found, ...workers]
}
