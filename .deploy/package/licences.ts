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
  readonly packages: readonly BundledCrate[]
}

/** Crate that becomes the addon. */
const ADDON_CRATE = 'rhizome-binding'
const LICENCE_FILE = /^(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)/i
/** Folders of a crate that hold sources of others; licence files lie at most so deep. */
const LICENCE_DEPTH = 4
const RULE = `\n${'='.repeat(100)}\n`

/** Crates of others that become part of the addon for a target, by name; those of tests and build scripts do not. */
export function bundledCrates(root: string, target: string): BundledCrate[] {
  const cargo = (...words: string[]) => runTool('cargo', [...words, '--locked'], join(root, 'native'))
  const edges = ['--edges', 'normal,no-proc-macro', '--target', target]
  // What `cargo metadata` resolves has the features that tests of the whole workspace want, and their crates.
  const tree = cargo('tree', '--package', ADDON_CRATE, ...edges, '--prefix', 'none', '--format', '{p}')
  const bundled = new Set(tree.split('\n').map((line) => line.split(' ').slice(0, 2).join(' ')))
  const metadata = cargo('metadata', '--format-version', '1', '--filter-platform', target)
  return (JSON.parse(metadata) as Metadata).packages
    .filter(({ name, version, source }) => source !== null && bundled.has(`${name} v${version}`))
    .sort((one, other) => one.name.localeCompare(other.name) || one.version.localeCompare(other.version))
}

/**
 * The list of what a platform package contains with its licences, then each licence text once, with the crates that
 * it came in.
 * @param sockets sources of the socket library, such as `uWebSockets.js 20.57.0`
 */
export function thirdPartyText(crates: readonly BundledCrate[], sockets: readonly string[]): string {
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
    `The files uws_*.node are the socket library of ${sockets.join(' and ')}, Copyright Alex Hultman, Apache-2.0 (the`,
    'text is in LICENSE): https://github.com/uNetworking/uWebSockets.js. The version symbols of some are changed, so',
    'that they load with an older glibc. They contain BoringSSL (Apache-2.0, ISC), lsquic (MIT), zlib (Zlib), libdeflate (MIT)',
    'and the parts of Node.js that their headers hold (MIT).\n',
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
