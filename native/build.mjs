// Builds the Rust core and places the addon in native/addon.
// `--dev` uses the developers' profile (incremental, quick to build, slower to run).
// `--output-dir DIR` writes the addon and its declarations elsewhere.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { napiProgram } from './napi.mjs'

const native = dirname(fileURLToPath(import.meta.url))
const { values } = parseArgs({
  options: { dev: { type: 'boolean', default: false }, 'output-dir': { type: 'string' } },
})

if (spawnSync('cargo', ['--version']).status !== 0) {
  console.error(
    'Rhizome builds its native core from source: install Rust 1.95 or newer with cargo (rustup), then run this again.',
  )
  process.exit(1)
}

const napi = napiProgram()
const outputDir = values['output-dir'] ?? join(native, 'addon')
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
    outputDir,
    '--dts',
    'index.d.ts',
    '--no-js',
    '--no-const-enum',
    ...(values.dev ? [] : ['--release']),
  ],
  { stdio: 'inherit', cwd: native },
)
process.exit(result.status ?? 1)
