import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { ROOT } from '../support/sources.ts'

/** Runs a script of `native` in a folder that has those scripts, and no development packages anywhere above it. */
function runScript(name: string, isCheckout: boolean) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rhizome-checkout-')))
  try {
    const native = join(folder, 'native')
    for (const path of ['install.mjs', 'build.mjs', 'napi.mjs', 'sharedFeatures.mjs', 'sockets']) {
      cpSync(join(ROOT, 'native', path), join(native, path), { recursive: true })
    }
    if (isCheckout) writeFileSync(join(native, 'Cargo.toml'), '')
    const words = ['-u', 'NODE_OPTIONS', process.execPath, join(native, name)]
    return spawnSync('env', words, { cwd: folder, encoding: 'utf8' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

t.test('a checkout without its development packages says so in one sentence', async (t) => {
  for (const name of ['install.mjs', 'build.mjs']) {
    const { status, stdout, stderr } = runScript(name, true)
    t.equal(status, 1, name)
    t.match(
      stderr,
      /^A source checkout is built with its development packages: run npm ci without --omit=dev .*\n$/,
    )
    t.equal(stdout, '')
  }
})

t.test('an installed package builds nothing', async (t) => {
  const { status, stdout, stderr } = runScript('install.mjs', false)
  t.same([status, stdout, stderr], [0, '', ''])
})
