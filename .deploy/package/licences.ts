import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runTool } from './runTool.ts'

/** A crate that the native core is built from, with the licence files that come in it. */
export interface BundledCrate {
  readonly name: string
  readonly version: string
  /** SPDX expression. */
  readonly license: string | null
  readonly source: string | null
  /** Path of `Cargo.toml`. */
  readonly manifest_path: string
}

interface Metadata {
  readonly packages: readonly (BundledCrate & { readonly id: string })[]
  readonly resolve: {
    readonly nodes: readonly {
      readonly id: string
      readonly deps: readonly {
        readonly pkg: string
        readonly dep_kinds: readonly { kind: string | null }[]
      }[]
    }[]
  }
}

/** Crate that becomes the addon. */
const ADDON_CRATE = 'rhizome-binding'
const LICENCE_FILE = /^(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)/i
/** Folders of a crate that hold sources of others; licence files lie at most so deep. */
const LICENCE_DEPTH = 4
const RULE = `\n${'='.repeat(100)}\n`

/** Crates of others that become part of the addon for a target, by name; those of tests and build scripts do not. */
export function bundledCrates(root: string, target: string): BundledCrate[] {
  const words = ['metadata', '--format-version', '1', '--locked', '--filter-platform', target]
  const { packages, resolve } = JSON.parse(runTool('cargo', words, join(root, 'native'))) as Metadata
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]))
  const reached = new Set<string>()
  const visit = (id: string) => {
    if (reached.has(id)) return
    reached.add(id)
    for (const { pkg, dep_kinds } of nodes.get(id)?.deps ?? []) {
      if (dep_kinds.some(({ kind }) => kind === null)) visit(pkg)
    }
  }
  visit(packages.find(({ name }) => name === ADDON_CRATE)?.id ?? '')
  return packages
    .filter(({ id, source }) => reached.has(id) && source !== null)
    .sort((one, other) => one.name.localeCompare(other.name) || one.version.localeCompare(other.version))
}

/** The list of crates with their licences, then each licence text once, with the crates that it came in. */
export function thirdPartyText(crates: readonly BundledCrate[]): string {
  const texts = new Map<string, string[]>()
  for (const crate of crates) {
    for (const text of licenceTexts(dirname(crate.manifest_path), LICENCE_DEPTH)) {
      const users = texts.get(text) ?? []
      const name = `${crate.name} ${crate.version}`
      if (!users.includes(name)) texts.set(text, [...users, name])
    }
  }
  const list = crates.map(({ name, version, license }) => `${name} ${version}: ${license}`)
  return [
    'The native core of Rhizome contains these crates, under the licences named (SPDX), and the standard library',
    'of Rust (MIT OR Apache-2.0). The texts that come with the crates follow the list.\n',
    `${list.join('\n')}\n`,
    ...[...texts].map(([text, users]) => `${RULE}${users.join(', ')}${RULE}\n${text}\n`),
  ].join('\n')
}

function licenceTexts(folder: string, depth: number): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return depth > 0 ? licenceTexts(path, depth - 1) : []
    return LICENCE_FILE.test(entry.name) && !/\.(rs|c|h|py)$/.test(entry.name)
      ? [readFileSync(path, 'utf8').replaceAll('\r\n', '\n').trim()]
      : []
  })
}
