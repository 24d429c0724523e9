import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseTriple } from '@napi-rs/cli'
import { chooseBinary, installedPackages, prepareBinary } from '../../native/sockets/binaries.mjs'
import { compareGlibc, neededGlibc } from '../../native/sockets/elfVersions.mjs'
import type { NativeBuild } from '../../src/native/buildInfo.ts'
import { GLIBC_FLOOR } from '../../src/native/platform.ts'
import { bundledCrates, thirdPartyText } from './licences.ts'
import { PackagingError, runTool } from './runTool.ts'

/** A package as `npm install` takes it. */
export interface Package {
  readonly path: string
  /** What is in it, by path. */
  readonly files: readonly string[]
}

/** The two packages of an installation without a compiler. */
export interface MadePackages {
  /** The compiled program. */
  readonly rhizome: Package
  /** The native core and the socket library for this platform. */
  readonly platform: Package
  /** The build of the native core that is in it. */
  readonly build: NativeBuild
}

type Manifest = Record<string, unknown> & {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly napi: { readonly binaryName: string; readonly targets: readonly string[] }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const require = createRequire(import.meta.url)

/** What of `package.json` matters in a checkout only. */
const CHECKOUT_KEYS = ['scripts', 'devDependencies', 'napi', 'private', 'overrides'] as const

/** Dependencies with binaries for every system, 250 MB: the platform package has those for its own. */
const SOCKET_PACKAGES: readonly string[] = ['uWebSockets.js', 'uws-pack']

/** `process.versions.modules` of the versions of Node that the packages are for: 20, 22, 24 and 25. */
export const NODE_ABIS = ['115', '127', '137', '141'] as const

/**
 * Makes the packages of the program and of the native core that `native/addon` holds.
 * @param output folder that gets both; the folder `staged` in it is made anew
 * @throws PackagingError when a tool fails, or the core would need a newer system than is promised
 */
export function makePackages(output: string): MadePackages {
  const stage = join(output, 'staged')
  rmSync(stage, { recursive: true, force: true })
  mkdirSync(join(stage, 'artifacts'), { recursive: true })
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
  const addon = join(ROOT, 'native/addon/rhizome.node')
  const { buildInfo } = require(addon) as { buildInfo(): NativeBuild }
  const build = buildInfo()
  if (build.version !== manifest.version) {
    throw new PackagingError(`the native core is version ${build.version}, package.json ${manifest.version}`)
  }
  if (!manifest.napi.targets.includes(build.target)) {
    throw new PackagingError(`package.json names no napi target ${build.target}`)
  }

  stageProgram(stage)
  const platform = stageCore(stage, manifest, addon, build.target)
  return { rhizome: pack(stage, output), platform: pack(platform, output), build }
}

/** Compiles the sources anew, so that no package holds files of an older build. */
function stageProgram(stage: string): void {
  const dist = join(stage, 'dist')
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')
  const words = ['-p', 'tsconfig.build.json', '--outDir', dist]
  runTool(process.execPath, [tsc, ...words, '--incremental', 'false', '--tsBuildInfoFile', 'null'], ROOT)
  runTool(process.execPath, [join(ROOT, '.deploy/package/bundle.mjs'), dist, '--no-maps'], ROOT)
  runTool(process.execPath, [join(ROOT, '.deploy/package/finishBuild.mjs'), dist], ROOT)
  chmodSync(join(dist, 'cli/main.js'), 0o755)
  for (const name of ['README.md', 'LICENSE']) copyFileSync(join(ROOT, name), join(stage, name))
  // Declarations of the program refer to those of the core.
  mkdirSync(join(stage, 'native/addon'), { recursive: true })
  copyFileSync(join(ROOT, 'native/addon/index.d.ts'), join(stage, 'native/addon/index.d.ts'))
  cpSync(join(ROOT, 'native/sockets'), join(stage, 'native/sockets'), { recursive: true })
}

/**
 * Has @napi-rs/cli put the core into its package and name that package in the one of the program.
 * @returns the folder of the platform package
 */
function stageCore(stage: string, manifest: Manifest, addon: string, target: string): string {
  const { platformArchABI: name, abi, platform: os, arch } = parseTriple(target)
  const { binaryName } = manifest.napi
  const artifact = join(stage, 'artifacts', `${binaryName}.${name}.node`)
  // Tables of lines are four fifths of the file. Names of functions stay, for the traces of crashes.
  runTool('strip', ['-S', '-o', artifact, addon], ROOT)
  const platform = join(stage, 'npm', name)
  cpSync(join(ROOT, 'native/npm', name), platform, { recursive: true })
  const sockets = stageSockets(platform, { platform: os, arch })
  copyFileSync(join(ROOT, 'LICENSE'), join(platform, 'LICENSE'))
  writeFileSync(join(platform, 'THIRD-PARTY.txt'), thirdPartyText(bundledCrates(ROOT, target), sockets))

  writeManifest(stage, { ...manifest, napi: { ...manifest.napi, targets: [target] } })
  napi(stage, 'artifacts', '--output-dir', 'artifacts', '--npm-dir', 'npm')
  napi(stage, 'version', '--npm-dir', 'npm')
  napi(stage, 'pre-publish', '--npm-dir', 'npm', '--skip-optional-publish', '--no-gh-release')
  const published = JSON.parse(readFileSync(join(stage, 'package.json'), 'utf8')) as Manifest
  writeManifest(stage, toPublished(published))
  if (abi === 'gnu') requireGlibc(platform)
  return platform
}

/**
 * Puts the socket library for every version of Node into the platform package, ready to load.
 * @returns what it is, such as `uWebSockets.js 20.57.0`
 */
function stageSockets(
  platform: string,
  host: { readonly platform: string; readonly arch: string },
): string[] {
  const prepared = join(platform, 'prepared')
  const names: string[] = []
  const sources = NODE_ABIS.map((abi) => {
    const glibc = host.platform === 'linux' ? GLIBC_FLOOR : null
    const chosen = chooseBinary({ ...host, abi, glibc, node: `with ABI ${abi}` }, installedPackages())
    const name = `uws_${host.platform}_${host.arch}_${abi}.node`
    copyFileSync(prepareBinary(chosen, prepared), join(platform, name))
    names.push(name)
    return `${chosen.name} ${chosen.version}`
  })
  rmSync(prepared, { recursive: true, force: true })
  const manifest = JSON.parse(readFileSync(join(platform, 'package.json'), 'utf8')) as { files: string[] }
  writeManifest(platform, { ...manifest, files: [...manifest.files, ...names] })
  return [...new Set(sources)]
}

/** Refuses a package with a library that an older system than the promised one cannot load. */
function requireGlibc(platform: string): void {
  for (const file of readdirSync(platform, { recursive: true, encoding: 'utf8' })) {
    const needed = file.endsWith('.node') ? neededGlibc(readFileSync(join(platform, file))) : null
    if (needed !== null && compareGlibc(needed, GLIBC_FLOOR) > 0) {
      throw new PackagingError(
        `${file} needs glibc ${needed}, promised is ${GLIBC_FLOOR}: build on an older system`,
      )
    }
  }
}

/** The manifest without what belongs to a checkout: nothing runs when the package is installed. */
function toPublished(manifest: Manifest): Record<string, unknown> {
  const without = (object: object, keys: readonly string[]) =>
    Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
  return {
    ...without(manifest, CHECKOUT_KEYS),
    dependencies: without(manifest.dependencies, SOCKET_PACKAGES),
    optionalDependencies: without(manifest.optionalDependencies ?? {}, SOCKET_PACKAGES),
  }
}

function writeManifest(folder: string, manifest: Readonly<Record<string, unknown>>): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

function napi(stage: string, ...words: string[]): void {
  const cli = join(dirname(require.resolve('@napi-rs/cli/package.json')), 'dist/cli.js')
  runTool(process.execPath, [cli, ...words], stage)
}

/** Runs `npm pack` in a folder. */
function pack(folder: string, output: string): Package {
  const [packed] = JSON.parse(runTool('npm', ['pack', '--json', '--pack-destination', output], folder)) as [
    { filename: string; files: readonly { path: string }[] },
  ]
  return { path: join(output, packed.filename), files: packed.files.map(({ path }) => path) }
}
