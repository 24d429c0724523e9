import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import {
  chooseBinary,
  type Host,
  installedPackages,
  prepareBinary,
  readHost,
  SOCKET_LIBRARIES,
} from '../../../native/sockets/binaries.mjs'
import {
  compareGlibc,
  neededGlibc,
  neededGlibcWithoutC23Names,
  withoutC23Names,
} from '../../../native/sockets/elfVersions.mjs'
import { loadSocketLibrary } from '../../../src/front/socketLibrary.ts'
import { ROOT, readSources } from '../../support/sources.ts'

const HOST: Host = { platform: 'linux', arch: 'x64', node: '24.1.0', abi: '137', glibc: '2.41' }
/** Node by the number of its ABI, from the table of ABI versions of the Node project. */
const NODE_OF_ABI: Readonly<Record<string, number>> = { 115: 20, 127: 22, 137: 24, 141: 25 }

const packages = installedPackages()
const first = packages[0]
if (first === undefined) throw new Error('uWebSockets.js is not installed')
const folder = String(first.folders[0])
const binaryOf = (abi: string, arch = 'x64') => readFileSync(join(folder, `uws_linux_${arch}_${abi}.node`))

t.test('a system gets the first binary that runs on it', (t) => {
  const direct = chooseBinary(HOST, packages)
  t.match(direct, { name: 'uWebSockets.js', withoutC23Names: false })
  t.ok(direct.file.endsWith('uws_linux_x64_137.node'))
  t.match(chooseBinary({ ...HOST, glibc: '2.38' }, packages), { withoutC23Names: false })
  t.match(chooseBinary({ ...HOST, glibc: '2.37' }, packages), { withoutC23Names: true })
  t.match(chooseBinary({ ...HOST, glibc: '2.36' }, packages), { withoutC23Names: true })
  t.match(chooseBinary({ ...HOST, platform: 'darwin', arch: 'arm64', glibc: null }, packages), {
    withoutC23Names: false,
  })
  t.end()
})

t.test('an older glibc gets the next package where that has a binary', (t) => {
  const older = t.testdir()
  writeFileSync(join(older, 'uws_linux_x64_127.node'), 'says nothing of glibc')
  const both = [...packages.slice(0, 1), { name: 'older', version: '1.0.0', folders: [older] }]
  t.match(chooseBinary({ ...HOST, abi: '127', glibc: '2.35' }, both), { name: 'older', version: '1.0.0' })
  t.throws(() => chooseBinary({ ...HOST, glibc: '2.35' }, both), { code: 'Unsupported' })
  t.end()
})

t.test('a system without one is told what there is, in one sentence', (t) => {
  const unsupported: Host[] = [
    { ...HOST, glibc: null },
    { ...HOST, glibc: '2.35' },
    { ...HOST, node: '23.1.0', abi: '131' },
    { ...HOST, arch: 'riscv64' },
    { ...HOST, platform: 'freebsd', glibc: null },
  ]
  for (const host of unsupported) {
    const message = new RegExp(
      `^Rhizome does not run on Node.js ${host.node} on ${host.platform} ${host.arch}`,
    )
    t.throws(() => chooseBinary(host, packages), { name: 'SocketLibraryError', code: 'Unsupported', message })
    t.throws(() => chooseBinary(host, packages), { message: `built for ${SOCKET_LIBRARIES}.` })
  }
  t.end()
})

t.test('the sentence and the README say what the packages hold', (t) => {
  const [newer = '', older = ''] = SOCKET_LIBRARIES.split(', and ')
  const abis = readdirSync(folder).flatMap((name) => /^uws_linux_x64_(\d+)\.node$/.exec(name)?.[1] ?? [])
  const nodes = abis.map((abi) => NODE_OF_ABI[abi])
  t.equal(newer, `Node.js ${nodes.slice(0, -1).join(', ')} and ${nodes.at(-1)} with glibc 2.36 or newer`)
  for (const abi of abis) {
    for (const arch of ['x64', 'arm64']) t.equal(neededGlibcWithoutC23Names(binaryOf(abi, arch)), '2.36')
  }
  const next = packages.find(({ name }) => name === 'uws-pack')
  if (next !== undefined) {
    const path = join(String(next.folders[1]), 'uws_linux_x64_127.node')
    t.equal(older, `Node.js 22 with glibc ${neededGlibc(readFileSync(path))} or newer`)
  }
  t.ok(readFileSync(join(ROOT, 'README.md'), 'utf8').includes(SOCKET_LIBRARIES))
  t.end()
})

t.test('a copy without C23 names asks for less and names no other library', (t) => {
  for (const arch of ['x64', 'arm64']) {
    const bytes = binaryOf('137', arch)
    t.equal(neededGlibc(bytes), '2.38')
    const copy = withoutC23Names(bytes)
    t.equal(copy.length, bytes.length)
    const changed = copy.reduce((count, byte, at) => (byte === bytes[at] ? count : count + 1), 0)
    t.ok(changed > 0 && changed <= 40, 'three names, their versions and one flag')
    t.same(withoutC23Names(copy), copy, 'there is nothing left to change')
  }
  t.equal(neededGlibc(Buffer.from('MZ no ELF')), null)
  t.ok(compareGlibc('2.9', '2.36') < 0)
  t.ok(compareGlibc('2.36', '2.36') === 0)
  t.end()
})

t.test('the copy is written once, and a folder that takes none is named', (t) => {
  const built = join(t.testdir(), 'built')
  const binary = {
    name: 'a',
    version: '1.2.3',
    file: join(folder, 'uws_linux_x64_137.node'),
    withoutC23Names: true,
  }
  const copy = prepareBinary(binary, built)
  t.same(readdirSync(built), ['a-1.2.3_linux_x64_137.node'])
  t.same(readFileSync(copy), withoutC23Names(binaryOf('137')))
  writeFileSync(copy, 'kept')
  prepareBinary(binary, built)
  t.equal(readFileSync(copy, 'utf8'), 'kept')
  t.throws(() => prepareBinary(binary, join(copy, 'below a file')), { code: 'Unwritable' })
  t.end()
})

t.test('this system loads its library, and other code takes types alone from the package', (t) => {
  const library = loadSocketLibrary()
  t.equal(typeof library.App, 'function')
  t.ok(readHost().abi === process.versions.modules)
  t.match(library.source, /^(uWebSockets\.js|uws-pack) \d+\.\d+\.\d+$/)
  const loading = readSources('src').filter(({ text }) => /^import (?!type).*'uWebSockets\.js'/m.test(text))
  t.same(
    loading.map(({ path }) => path),
    [],
  )
  t.end()
})

t.test('npm ci ends with the sentence and without a stack', (t) => {
  // Not below the checkout, whose packages would be found from there.
  const checkout = mkdtempSync(join(tmpdir(), 'rhizome-'))
  t.teardown(() => rmSync(checkout, { recursive: true }))
  mkdirSync(join(checkout, 'native', 'sockets'), { recursive: true })
  writeFileSync(join(checkout, 'native', 'Cargo.toml'), '')
  // The builder of the addon is there, the socket libraries are not.
  mkdirSync(join(checkout, 'node_modules', '@napi-rs', 'cli'), { recursive: true })
  writeFileSync(join(checkout, 'node_modules', '@napi-rs', 'cli', 'package.json'), '{}')
  for (const path of ['install.mjs', 'napi.mjs', 'sockets/binaries.mjs', 'sockets/elfVersions.mjs']) {
    copyFileSync(join(ROOT, 'native', path), join(checkout, 'native', path))
  }
  const { status, stderr } = spawnSync(process.execPath, [join(checkout, 'native', 'install.mjs')], {
    encoding: 'utf8',
  })
  t.equal(status, 1)
  t.match(stderr, /^Rhizome does not run on Node\.js [^\n]+\.\n$/)
  t.end()
})
