import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { makePackages } from '../../.deploy/package/packages.ts'
import { compareGlibc, neededGlibc } from '../../native/sockets/elfVersions.mjs'
import { GLIBC_FLOOR } from '../../src/native/platform.ts'
import { askNode, freePort } from '../support/nodeProcess.ts'
import { ROOT } from '../support/sources.ts'

/**
 * Bytes of an installation: 70 MB on linux x64, of which the socket library is 28 for four versions of Node, lmdb 19,
 * the native core 7 and the program 3. The margin is for one more version of Node and patch releases; a dependency
 * with binaries for every system does not fit into it.
 */
const SIZE_LIMIT = 85e6
/** What programs may be found by the installation and the node. */
const PROGRAMS = ['sh', 'env']
const START_POLL_MS = 50
const START_POLLS = 1200

/** Files of the program's package; nothing of tests, vectors, sources or notes of the compiler. */
const PROGRAM_FILE =
  /^(package\.json|README\.md|LICENSE|dist\/build\.json|dist\/[\w./-]+\.(js|d\.ts|css|html|svg)|native\/addon\/index\.d\.ts|native\/sockets\/\w+(\.d)?\.(mjs|mts))$/

// Outside of the checkout, whose node_modules would be found otherwise.
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rhizome-package-')))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const packages = makePackages(join(folder, 'made'))
const app = join(folder, 'app')
const environment = bareEnvironment()

t.test('the packages hold what is needed, and nothing else', async (t) => {
  const { rhizome, platform } = packages
  t.same(
    rhizome.files.filter((path) => !PROGRAM_FILE.test(path)),
    [],
  )
  for (const needed of [
    'dist/cli/main.js',
    'dist/build.json',
    'dist/page/index.html',
    'LICENSE',
    'README.md',
  ]) {
    t.ok(rhizome.files.includes(needed), needed)
  }
  t.equal(platform.files.length, 9)
  for (const needed of ['LICENSE', 'THIRD-PARTY.txt', 'README.md'])
    t.ok(platform.files.includes(needed), needed)
  t.equal(
    platform.files.filter((path) => path.endsWith('.node')).length,
    5,
    'the core, and sockets for four Nodes',
  )
})

t.test('a checkout would pack no other files', async (t) => {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const { stdout } = spawnSync('npm', words, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 })
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  const strays = files.map(({ path }) => path).filter((path) => !PROGRAM_FILE.test(path))
  t.same(strays.sort(), ['native/install.mjs', 'native/napi.mjs'], 'its manifest runs these at an install')
})

t.test('the packages install without a compiler', async (t) => {
  for (const compiler of ['cargo', 'rustc', 'cc', 'gcc', 'make', 'python3']) {
    t.equal(spawnSync('env', [compiler], { env: environment }).status, 127, `no ${compiler}`)
  }
  mkdirSync(app)
  const paths = [packages.rhizome.path, packages.platform.path]
  const { status, stderr } = npm(['install', '--no-audit', '--no-fund', '--prefer-offline', ...paths])
  t.equal(status, 0)
  if (status !== 0) t.comment(stderr)
  t.notMatch(stderr, 'EBADENGINE')

  const manifest = JSON.parse(readFileSync(join(app, 'node_modules/rhizome/package.json'), 'utf8'))
  t.equal(manifest.scripts, undefined, 'nothing runs when the program is installed')
  t.equal(manifest.devDependencies, undefined)
  t.same(manifest.optionalDependencies, { [nameOfPlatform()]: manifest.version })
  for (const absent of [
    'typescript',
    '@napi-rs/cli',
    'uws-pack',
    'uWebSockets.js',
    '@types',
    'bitcoinjs-lib',
  ]) {
    t.notOk(existsSync(join(app, 'node_modules', absent)), `${absent} is not installed`)
  }
  const bytes = sizeOf(join(app, 'node_modules'))
  t.comment(`${(bytes / 1e6).toFixed(1)} MB installed`)
  t.ok(bytes < SIZE_LIMIT, `${bytes} bytes`)
})

t.test('the stated glibc is what the installed libraries ask for', async (t) => {
  const needed = readdirSync(join(app, 'node_modules'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.node'))
    .flatMap((path) => neededGlibc(readFileSync(join(app, 'node_modules', path))) ?? [])
  t.ok(needed.length > 5)
  t.equal(needed.sort(compareGlibc).at(-1), GLIBC_FLOOR)
})

t.test('the rehearsal of a peg says which package it needs, that a node does not', async (t) => {
  const { status, stderr } = npm([
    'exec',
    '--',
    'rhizome',
    'bridge',
    'rehearse',
    '--url',
    'http://127.0.0.1:1',
  ])
  t.not(status, 0)
  t.match(stderr, /npm install bitcoinjs-lib@7\.0\.0/)
})

t.test('the installed program starts and answers', async (t) => {
  const version = npm(['exec', '--', 'rhizome', '--version'])
  t.match(version.stdout, new RegExp(`native core ${packages.build.version} \\(${packages.build.target}`))
  const port = await freePort()
  const began = performance.now()
  const words = [
    'exec',
    '--',
    'rhizome',
    'start',
    '--data-dir',
    join(folder, 'data'),
    '--http-port',
    String(port),
  ]
  const [program = '', ...args] = npmCommand(words)
  const child = spawn(program, args, {
    cwd: app,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  let answer: string | undefined
  for (let poll = 0; poll < START_POLLS && child.exitCode === null && answer === undefined; poll += 1) {
    answer = await askNode<string>(`http://127.0.0.1:${port}`, 'eth_chainId', []).catch(() => undefined)
    if (answer === undefined) await sleep(START_POLL_MS)
  }
  t.comment(`${((performance.now() - began) / 1000).toFixed(1)} s to the first answer`)
  t.equal(answer, '0x21')
  if (answer === undefined) t.comment(output)
  if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
  await closed
})

t.test('a missing core of the platform is told in one sentence', async (t) => {
  rmSync(join(app, 'node_modules', nameOfPlatform()), { recursive: true })
  const { status, stderr } = npm(['exec', '--', 'rhizome', '--version'])
  t.equal(status, 5)
  t.match(stderr, /^error: there is no native core for .* glibc .*$/m)
})

function nameOfPlatform(): string {
  const [name = ''] = readdirSync(join(folder, 'made/staged/npm'))
  return `rhizome-${name}`
}

/** An environment in which Node and few programs are found, and no compiler. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  symlinkSync(process.execPath, join(bin, 'node'))
  for (const program of PROGRAMS) symlinkSync(find(program), join(bin, program))
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(HOME|npm_config_(registry|cache|userconfig))$/i.test(name),
  )
  return { ...Object.fromEntries(kept), PATH: bin }
}

function find(program: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const path = folders.map((one) => join(one, program)).find((one) => existsSync(one))
  if (path === undefined) throw new Error(`there is no ${program}`)
  return realpathSync(path)
}

/** The words that run npm: the runner of the tests adds its loader to the environment, which is taken off again. */
function npmCommand(words: readonly string[]): string[] {
  const cli = join(dirname(find('npm')), 'npm-cli.js')
  return ['env', '-u', 'NODE_OPTIONS', process.execPath, cli, ...words]
}

function npm(words: readonly string[]) {
  const [program = '', ...args] = npmCommand(words)
  return spawnSync(program, args, { cwd: app, env: environment, encoding: 'utf8' })
}

function sizeOf(path: string): number {
  const found = lstatSync(path)
  if (!found.isDirectory()) return found.size
  return readdirSync(path).reduce((bytes, name) => bytes + sizeOf(join(path, name)), 0)
}
