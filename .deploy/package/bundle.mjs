// Bundles the program: node bundle.mjs FOLDER [--no-maps]. A node has some five threads, each of which would load most of
// a thousand modules for itself; of bundles each loads some dozens, and a start takes two thirds of the processor time.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url))
const NATIVE = fileURLToPath(new URL('../../native', import.meta.url))
const CHUNKS = 'chunks'
/** Programs and the library; threads begin with what `workerEntry` names (`src/util/entry.ts`). */
const PROGRAMS = ['cli/main.ts', 'library/developmentNode.ts']
const WORKER_ENTRY = /\bworkerEntry\(\s*'([^']+)'/g

const [folder = '', ...options] = process.argv.slice(2)
const output = resolve(folder)
if (basename(output) !== 'dist') throw new Error('the folder of the program is called dist: see locate')

rmSync(join(output, CHUNKS), { recursive: true, force: true })
await build({
  entryPoints: entries().map((path) => join(SOURCE, path)),
  outbase: SOURCE,
  outdir: output,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'es2023',
  packages: 'external',
  chunkNames: `${CHUNKS}/[name]-[hash]`,
  sourcemap: !options.includes('--no-maps'),
  sourcesContent: false,
  logLevel: 'warning',
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  plugins: [{ name: 'rhizome', setup }],
})

function entries() {
  const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !path.startsWith('page'),
  )
  const threads = sources.flatMap((path) =>
    path === 'util/entry.ts'
      ? []
      : [...readFileSync(join(SOURCE, path), 'utf8').matchAll(WORKER_ENTRY)].map(([, entry = '']) =>
          join(dirname(path), entry),
        ),
  )
  return [...new Set([...PROGRAMS, ...threads])].sort()
}

/** @param {import('esbuild').PluginBuild} builder */
function setup(builder) {
  builder.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
    loader: 'ts',
    contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', locate(path)),
  }))
  // What a checkout runs as well is beside the bundles, by a name that holds for all of them (package.json, imports).
  builder.onResolve({ filter: /\.mjs$/ }, ({ path, resolveDir }) => ({
    path: `#native/${relative(NATIVE, resolve(resolveDir, path))}`,
    external: true,
  }))
}

/** An expression for the address that a module would have if it were compiled by itself. @param {string} path */
function locate(path) {
  const compiled = relative(SOURCE, path).replace(/\.ts$/, '.js')
  return `(import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/')) + '/dist/${compiled}')`
}
