// Builds the Rust core and places the addon in native/addon, with the release profile.
// `--profile NAME` takes another profile of Cargo.toml; RHIZOME_NATIVE_PROFILE does the same where `npm ci` builds.
// `--dev` is `--profile dev` (incremental, quick to build, slower to run).
// `--output-dir DIR` writes the addon and its declarations elsewhere.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { napiProgram } from './napi.mjs'
import { replaceFiles } from './replaceFiles.mjs'
import { SHARED_FEATURES } from './sharedFeatures.mjs'

const native = dirname(fileURLToPath(import.meta.url))
/** Cargo's own profiles and those of Cargo.toml. */
const PROFILES = ['release', 'dev', 'ci']

const { values } = parseArgs({
  options: {
    dev: { type: 'boolean', default: false },
    profile: { type: 'string', default: process.env.RHIZOME_NATIVE_PROFILE || 'release' },
    'output-dir': { type: 'string' },
  },
})
const profile = values.dev ? 'dev' : values.profile
if (!PROFILES.includes(profile)) {
  console.error(`There is no profile ${profile} of the native core: use one of ${PROFILES.join(', ')}.`)
  process.exit(1)
}

if (spawnSync('cargo', ['--version']).status !== 0) {
  console.error(
    'Rhizome builds its native core from source: install Rust 1.95 or newer with cargo (rustup), then run this again.',
  )
  process.exit(1)
}

const napi = napiProgram()
const outputDir = resolve(values['output-dir'] ?? join(native, 'addon'))
// Beside the folder, so that programs that run meanwhile have the old addon or the new one.
mkdirSync(dirname(outputDir), { recursive: true })
const made = mkdtempSync(`${outputDir}.`)
const result = spawnSync(
  process.execPath,
  [
    napi,
    'build',
    '--manifest-path',
    join(native, 'crates', 'binding', 'Cargo.toml'),
    '--target-dir',
    join(native, 'target'),
    '--package-json-path',
    join(native, '..', 'package.json'),
    '--output-dir',
    made,
    '--dts',
    'index.d.ts',
    '--no-js',
    '--no-const-enum',
    ...(profile === 'release' ? ['--release'] : []),
    ...(profile === 'ci' ? ['--profile', profile, '--', ...SHARED_FEATURES, '--lib'] : []),
  ],
  { stdio: 'inherit', cwd: native },
)
if (result.status === 0) replaceFiles(made, outputDir)
rmSync(made, { recursive: true, force: true })
process.exit(result.status ?? 1)
