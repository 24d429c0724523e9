import { spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { EXIT_CODES } from '../../../src/cli/exitCodes.ts'
import { loadAddon, type ModuleLoader, NativeCoreError } from '../../../src/native/loadAddon.ts'
import {
  describePlatform,
  GLIBC_FLOOR,
  type HostPlatform,
  hostPlatform,
  platformPackages,
} from '../../../src/native/platform.ts'
import { LOADER, ROOT } from '../../support/sources.ts'

const HOST: HostPlatform = { os: 'linux', arch: 'arm64', libc: 'glibc 2.31' }
const [INSTALLED = ''] = platformPackages(process.platform, process.arch).map(
  (platform) => `rhizome-${platform}`,
)

/** A loader of modules that has these; a text is why one of them does not load. */
function having(modules: Readonly<Record<string, object | string>>): ModuleLoader & { loaded: string[] } {
  const loaded: string[] = []
  const load = (path: string) => {
    loaded.push(path)
    const found = modules[path]
    if (typeof found === 'string') throw new Error(found)
    return found
  }
  const resolve = (name: string) => {
    if (name in modules) return name
    throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' })
  }
  return Object.assign(load, { resolve, loaded })
}

t.test('the build of a checkout comes before the installed package', async (t) => {
  const built = {}
  const installed = {}
  const source = '../../native/addon/rhizome.node'
  t.equal(loadAddon(having({ [source]: built, [INSTALLED]: installed }), hostPlatform), built)
  t.equal(loadAddon(having({ [INSTALLED]: installed }), hostPlatform), installed)
})

t.test('a missing core is told in one sentence', async (t) => {
  const thrown = catchCore(() => loadAddon(having({}), () => HOST))
  t.equal(thrown.code, 'Missing')
  t.match(thrown.message, /^there is no native core for linux arm64, glibc 2\.31: [^\n]*$/)
  for (const part of [`glibc ${GLIBC_FLOOR}`, 'rhizome-linux-x64-gnu', 'Rust 1.95', 'C compiler']) {
    t.ok(thrown.message.includes(part), part)
  }
})

t.test('a core that does not load says why, and no other is tried', async (t) => {
  const why = "version `GLIBC_2.34' not found"
  const load = having({ '../../native/addon/rhizome.node': why, [INSTALLED]: {} })
  const thrown = catchCore(() => loadAddon(load, () => HOST))
  t.equal(thrown.code, 'Unusable')
  t.ok(thrown.message.includes(why))
  t.equal(load.loaded.length, 1)
})

t.test('another failure of looking is not a missing core', async (t) => {
  const load = Object.assign(() => undefined, {
    resolve: () => {
      throw new RangeError('odd')
    },
  })
  t.throws(() => loadAddon(load, hostPlatform), RangeError)
})

t.test('systems in words', async (t) => {
  t.equal(describePlatform({ os: 'darwin', arch: 'arm64', libc: null }), 'darwin arm64')
  t.same(platformPackages('linux', 'x64'), ['linux-x64-gnu', 'linux-x64-musl'])
  t.same(platformPackages('darwin', 'x64'), ['darwin-x64'])
  const here = hostPlatform()
  t.equal(here.os, process.platform)
  t.match(here.libc, here.os === 'linux' ? /^(glibc \d+\.\d+|musl)$/ : null)
})

t.test('the program ends with a code of its own, and without a stack', async (t) => {
  // A copy of the sources beside no core at all.
  const folder = t.testdir({ 'package.json': '{ "type": "module", "version": "0.0.0" }' })
  cpSync(join(ROOT, 'src'), join(folder, 'src'), { recursive: true })
  cpSync(join(ROOT, 'native/sockets'), join(folder, 'native/sockets'), { recursive: true })
  writeFileSync(join(folder, 'native/README.md'), '')
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ['--import', LOADER, join(folder, 'src/cli/main.ts'), '--help'],
    { cwd: ROOT, encoding: 'utf8', env: { ...process.env } },
  )
  t.equal(stdout, '')
  t.match(stderr, /^error: there is no native core for .*\n$/)
  t.equal(status, EXIT_CODES.nativeCore)
})

function catchCore(call: () => unknown): NativeCoreError {
  try {
    call()
  } catch (thrown) {
    if (thrown instanceof NativeCoreError) return thrown
    throw thrown
  }
  throw new Error('nothing was thrown')
}
