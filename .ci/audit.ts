/** What of a package in `package-lock.json` is looked at. */
export interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly license?: unknown
  /** Whether only tools of development need it. */
  readonly dev?: boolean
  readonly optional?: boolean
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

/** What of a crate in `cargo metadata` is looked at. */
export interface Crate {
  readonly name: string
  readonly version: string
  readonly license: string | null
  readonly source: string | null
}

/** Licences under which what is delivered may stand. */
const LICENCES: ReadonlySet<string> = new Set([
  ...[
    'MIT',
    'ISC',
    '0BSD',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'Apache-2.0',
    'CC0-1.0',
    'Unlicense',
  ],
  // MIT without the duty to name the author: hex_lit, which only tests use.
  'MITNFA',
  ...['Zlib', 'Unicode-3.0', 'MPL-2.0', 'Apache-2.0 WITH LLVM-exception', 'PSF-2.0', 'Python-2.0'],
])

/** Further ones of tools that are not delivered. */
const TOOL_LICENCES: ReadonlySet<string> = new Set(['LGPL-3.0', 'CC-BY-3.0'])

/** Packages that name no licence where npm looks for it, and the one in their files. */
const UNNAMED_LICENCES: ReadonlyMap<string, string> = new Map([
  ['buffer-compare', 'MIT'],
  ['memorystream', 'MIT'],
  ['jsonc-simple-parser', 'MIT'],
])

/**
 * Packages whose scripts run at an install: native parts, and tools of the tests. That of esbuild, which vitest brings,
 * checks the program that its package of the platform has.
 */
const WITH_SCRIPTS: ReadonlySet<string> = new Set([
  'lmdb',
  'msgpackr-extract',
  'keccak',
  '@foundry-rs/cast',
  'esbuild',
])

/** Names that were only ever malicious, of npm and crates.io. */
const MALICIOUS: ReadonlySet<string> = new Set([
  ...['flatmap-stream', 'peacenotwar', 'crossenv', 'electorn', 'loadyaml', 'rustdecimal', 'faster_log'],
  ...['async_println', 'postgress', 'if-cfg', 'oncecell', 'lazystatic', 'serd'],
])

/** Versions that carried malicious code. */
const MALICIOUS_VERSIONS: ReadonlySet<string> = new Set([
  ...['event-stream@3.3.6', 'ua-parser-js@0.7.29', 'ua-parser-js@0.8.0', 'ua-parser-js@1.0.0', 'coa@2.0.3'],
  ...[
    'rc@1.2.9',
    'rc@1.3.9',
    'rc@2.3.9',
    'colors@1.4.1',
    'colors@1.4.2',
    'node-ipc@10.1.1',
    'eslint-scope@3.7.2',
  ],
  ...['node-ipc@10.1.2', 'chalk@5.6.1', 'debug@4.4.2', 'ansi-regex@6.2.1', 'ansi-styles@6.2.2'],
  ...['strip-ansi@7.1.1', 'supports-color@10.2.1', 'wrap-ansi@9.0.1', 'slice-ansi@7.1.1', 'color-name@2.0.1'],
  ...['color-convert@3.1.1', 'color-string@2.1.1', 'color@5.0.1', 'is-arrayish@0.3.3', 'error-ex@1.3.3'],
])

/** A package integrity that npm checks what it fetched by. */
const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==( |$)/
const CRATES_IO = 'registry+https://github.com/rust-lang/crates.io-index'

/** What is wrong with the packages of npm, one line each. */
export function faultsOfPackages(packages: Readonly<Record<string, LockedPackage>>): string[] {
  return Object.entries(packages).flatMap(([path, locked]) => {
    if (path === '') return []
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const said = (fault: string) => `${path}@${locked.version}: ${fault}`
    const faults: string[] = []
    if (locked.link === true) faults.push(said('is a link'))
    // Without an address a package comes from the registry that npm is told of, and is checked by its integrity.
    if (locked.resolved !== undefined) faults.push(said(`comes from ${locked.resolved}`))
    if (!INTEGRITY.test(locked.integrity ?? '') && !isForOthers(path, locked))
      faults.push(said('has no integrity'))
    if (locked.hasInstallScript === true && !WITH_SCRIPTS.has(name)) {
      faults.push(said('runs a script when it is installed'))
    }
    const licence = licenceOf(name, locked)
    const allowed = (one: string) => LICENCES.has(one) || (locked.dev === true && TOOL_LICENCES.has(one))
    if (licence === null ? !isForOthers(path, locked) : !isLicensed(licence, allowed)) {
      faults.push(said(`has the licence ${licence ?? 'of nobody knows'}`))
    }
    return [...faults, ...maliceOf(name, locked.version).map(said)]
  })
}

/** Packages without an integrity, which only other platforms install. */
export function uncheckedPackages(packages: Readonly<Record<string, LockedPackage>>): string[] {
  return Object.entries(packages).flatMap(([path, locked]) =>
    path !== '' && isForOthers(path, locked) && locked.integrity === undefined ? [path] : [],
  )
}

/** What is wrong with crates, one line each. Those of the project itself have no source. */
export function faultsOfCrates(crates: readonly Crate[]): string[] {
  return crates.flatMap(({ name, version, license, source }) => {
    const said = (fault: string) => `${name}@${version}: ${fault}`
    const own = source === null && name.startsWith('rhizome-')
    const faults: string[] = []
    if (!own && source !== CRATES_IO) faults.push(said(`comes from ${source}`))
    if (license === null || !isLicensed(license, (one) => LICENCES.has(one))) {
      faults.push(said(`has the licence ${license}`))
    }
    return [...faults, ...maliceOf(name, version).map(said)]
  })
}

/** Entries of a `Cargo.lock` that name a source without a checksum, or another source than crates.io. */
export function faultsOfCargoLock(text: string): string[] {
  return text
    .split('[[package]]')
    .slice(1)
    .flatMap((entry) => {
      const value = (key: string) => new RegExp(`^${key} = "(.*)"$`, 'm').exec(entry)?.[1]
      const name = `${value('name')}@${value('version')}`
      const source = value('source')
      if (source === undefined) return name.startsWith('rhizome-') ? [] : [`${name}: has no source`]
      if (source !== CRATES_IO) return [`${name}: comes from ${source}`]
      return /^[0-9a-f]{64}$/.test(value('checksum') ?? '') ? [] : [`${name}: has no checksum`]
    })
}

/**
 * An optional package of another platform than this project is tested on: the lock file names all, but knows the
 * hashes of those alone that its registry had.
 */
function isForOthers(path: string, { optional, os, cpu }: LockedPackage): boolean {
  if (optional !== true || (os === undefined && cpu === undefined)) return false
  const here = (os ?? ['linux']).includes('linux') && (cpu ?? ['x64']).includes('x64')
  return !here || path.includes('musl')
}

function licenceOf(name: string, { license }: LockedPackage): string | null {
  if (typeof license === 'string') return license
  return UNNAMED_LICENCES.get(name) ?? null
}

/** Whether an SPDX expression is met by allowed licences: one side of each OR, both of each AND. */
function isLicensed(expression: string, allowed: (licence: string) => boolean): boolean {
  const text = expression.trim().replace(/^\(([^()]*)\)$/, '$1')
  if (allowed(text)) return true
  const flat = text.replaceAll(/\(([^()]*)\)/g, (_, inner: string) =>
    isLicensed(inner, allowed) ? 'MIT' : 'refused',
  )
  const sides = flat.split(/ OR |\/| \/ /)
  if (sides.length > 1) return sides.some((side) => isLicensed(side, allowed))
  const parts = flat.split(' AND ')
  return parts.length > 1 && parts.every((part) => isLicensed(part, allowed))
}

function maliceOf(name: string, version: string | undefined): string[] {
  if (MALICIOUS.has(name)) return ['is a name that only malicious packages had']
  return MALICIOUS_VERSIONS.has(`${name}@${version}`) ? ['is a version that carried malicious code'] : []
}
