import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseTriple } from '@napi-rs/cli'
import type { NativeBuild } from '../../src/native/buildInfo.ts'
import { GLIBC_FLOOR } from '../../src/native/platform.ts'
import { compareVersions, highestGlibc } from './glibc.ts'
import { bundledCrates, thirdPartyText } from './licences.ts'
import { PackagingError, runTool } from './runTool.ts'

/** Paths of the two packages, as `npm install` takes them. */
export interface MadePackages {
  /** The compiled program. */
  readonly rhizome: string
  /** The native core for this platform. */
  readonly platform: string
  /** The build of the native core that is in it. */
  readonly build: NativeBuild
}

type Manifest = Record<string, unknown> & {
  readonly version: string
  readonly napi: { readonly binaryName: string; readonly targets: readonly string[] }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const require = createRequire(import.meta.url)

/** What of `package.json` matters in a checkout only. */
const CHECKOUT_KEYS = ['scripts', 'devDependencies', 'private', 'napi', 'tap'] as const

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
  const words = ['-p', 'tsconfig.build.json', '--outDir', dist, '--sourceMap', 'false']
  runTool(process.execPath, [tsc, ...words, '--incremental', 'false', '--tsBuildInfoFile', 'null'], ROOT)
  runTool(process.execPath, [join(ROOT, '.deploy/package/finishBuild.mjs'), dist], ROOT)
  chmodSync(join(dist, 'cli/main.js'), 0o755)
  for (const name of ['README.md', 'LICENSE']) copyFileSync(join(ROOT, name), join(stage, name))
  // Declarations of the program refer to those of the core.
  mkdirSync(join(stage, 'native/addon'), { recursive: true })
  copyFileSync(join(ROOT, 'native/addon/index.d.ts'), join(stage, 'native/addon/index.d.ts'))
}

/**
 * Has @napi-rs/cli put the core into its package and name that package in the one of the program.
 * @returns the folder of the platform package
 */
function stageCore(stage: string, manifest: Manifest, addon: string, target: string): string {
  const { platformArchABI: name, abi } = parseTriple(target)
  const { binaryName } = manifest.napi
  const artifact = join(stage, 'artifacts', `${binaryName}.${name}.node`)
  // Tables of lines are four fifths of the file. Names of functions stay, for the traces of crashes.
  runTool('strip', ['--strip-debug', '-o', artifact, addon], ROOT)
  const glibc = abi === 'gnu' ? highestGlibc(artifact) : null
  if (glibc !== null && compareVersions(glibc, GLIBC_FLOOR) > 0) {
    throw new PackagingError(
      `the native core needs glibc ${glibc}, promised is ${GLIBC_FLOOR}: build it on an older system`,
    )
  }

  const platform = join(stage, 'npm', name)
  cpSync(join(ROOT, 'native/npm', name), platform, { recursive: true })
  writeManifest(stage, { ...manifest, napi: { ...manifest.napi, targets: [target] } })
  napi(stage, 'artifacts', '--output-dir', 'artifacts', '--npm-dir', 'npm')
  napi(stage, 'version', '--npm-dir', 'npm')
  napi(stage, 'pre-publish', '--npm-dir', 'npm', '--skip-optional-publish', '--no-gh-release')
  const published = JSON.parse(readFileSync(join(stage, 'package.json'), 'utf8')) as Manifest
  writeManifest(stage, Object.fromEntries(Object.entries(published).filter(([key]) => !isOfCheckout(key))))

  copyFileSync(join(ROOT, 'LICENSE'), join(platform, 'LICENSE'))
  writeFileSync(join(platform, 'THIRD-PARTY.txt'), thirdPartyText(bundledCrates(ROOT, target)))
  return platform
}

function isOfCheckout(key: string): boolean {
  return (CHECKOUT_KEYS as readonly string[]).includes(key)
}

function writeManifest(stage: string, manifest: Readonly<Record<string, unknown>>): void {
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

function napi(stage: string, ...words: string[]): void {
  const cli = join(dirname(require.resolve('@napi-rs/cli/package.json')), 'dist/cli.js')
  runTool(process.execPath, [cli, ...words], stage)
}

/** Runs `npm pack` in a folder: the path of the package. */
function pack(folder: string, output: string): string {
  const [packed] = JSON.parse(runTool('npm', ['pack', '--json', '--pack-destination', output], folder)) as [
    { filename: string },
  ]
  return join(output, packed.filename)
}
