import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { transform } from 'esbuild'
import type { Test } from 'tap'
import { ROOT } from './sources.ts'

/** A piece of a source file that a build of its own has otherwise. */
export interface Change {
  /** Below `src`. */
  readonly file: string
  /** Stands there exactly once. */
  readonly find: string
  readonly replace: string
}

/** Sources are imported by their names, compiled files by theirs. */
const SOURCE_NAME = /((?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"]+)\.ts(?=['"])/g

/** What every program of a build has otherwise. */
export interface BuildOptions {
  readonly changes?: readonly Change[]
  /** Files of its own, by their path below the source. */
  readonly files?: ReadonlyMap<string, string>
  /** Put before source files, by their path. */
  readonly prefixes?: Readonly<Record<string, string>>
}

/**
 * The node compiled in a folder of its own, with some of its source otherwise: what is switched off is switched off in
 * a copy, and no option of the node does it. The native core is a copy as well, so that nobody replaces it meanwhile.
 */
export class TestBuild {
  readonly folder: string
  readonly #files: ReadonlyMap<string, string>

  private constructor(folder: string, files: ReadonlyMap<string, string>) {
    this.folder = folder
    this.#files = files
  }

  static async create({ changes = [], files: own, prefixes = {} }: BuildOptions = {}): Promise<TestBuild> {
    const folder = mkdtempSync(join(tmpdir(), 'rhizome-build-'))
    for (const name of ['node_modules', 'package.json']) symlinkSync(join(ROOT, name), join(folder, name))
    const native = join(ROOT, 'native')
    mkdirSync(join(folder, 'native'))
    for (const name of readdirSync(native))
      if (!['addon', 'target'].includes(name)) symlinkSync(join(native, name), join(folder, 'native', name))
    mkdirSync(join(folder, 'native/addon'))
    cpSync(join(native, 'addon/rhizome.node'), join(folder, 'native/addon/rhizome.node'))
    const source = join(ROOT, 'src')
    const names = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /(?<!\.d)\.ts$/.test(name),
    )
    const files = new Map(names.map((name) => [name, readFileSync(join(source, name), 'utf8')]))
    for (const [name, text] of own ?? []) files.set(name, text)
    for (const [name, prefix] of Object.entries(prefixes))
      files.set(name, `${prefix}${files.get(name) ?? ''}`)
    for (const change of changes) files.set(change.file, changed(files, change))
    const build = new TestBuild(folder, files)
    await Promise.all([...files].map(([name, text]) => build.#compile('dist', name, text)))
    cpSync(join(source, 'page'), join(folder, 'dist/page'), { recursive: true })
    return build
  }

  /** The program. @param changes what it has otherwise; @param name of that, for a folder */
  async program(name = 'dist', changes: readonly Change[] = []): Promise<string> {
    if (changes.length === 0) return join(this.folder, 'dist/cli/main.js')
    const files = new Map(this.#files)
    for (const change of changes) files.set(change.file, changed(files, change))
    cpSync(join(this.folder, 'dist'), join(this.folder, name), { recursive: true })
    const changedFiles = new Set(changes.map(({ file }) => file))
    await Promise.all([...changedFiles].map((file) => this.#compile(name, file, files.get(file) ?? '')))
    return join(this.folder, name, 'cli/main.js')
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #compile(target: string, name: string, text: string): Promise<void> {
    const path = join(this.folder, target, name.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(path), { recursive: true })
    const { code } = await transform(text, {
      loader: 'ts',
      format: 'esm',
      target: 'es2023',
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    })
    writeFileSync(path, code.replace(SOURCE_NAME, '$1.js'))
  }
}

/** A build of the program without changes, which is removed at the end of a test. @returns its path */
export async function builtProgram(t: Test): Promise<string> {
  const build = await TestBuild.create()
  t.teardown(() => build.remove())
  return await build.program()
}

/** A file of the source with a change. @throws Error when what is to be changed does not stand there once */
export function changed(files: ReadonlyMap<string, string>, { file, find, replace }: Change): string {
  const parts = files.get(file)?.split(find) ?? []
  if (parts.length !== 2)
    throw new Error(`src/${file} does not have "${find}" once: the switch is out of date`)
  return parts.join(replace)
}
