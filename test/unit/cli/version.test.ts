import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { describeVersion, readCommit, readVersion } from '../../../src/cli/version.ts'
import { nativeBuild } from '../../../src/native/buildInfo.ts'
import { runCommand } from '../../support/cli.ts'
import { ROOT } from '../../support/sources.ts'

t.test('the native core tells how it was built', async (t) => {
  const { version, target, profile, compiler } = nativeBuild()
  const workspace = readFileSync(join(ROOT, 'native/Cargo.toml'), 'utf8')
  t.equal(version, /^version = "(.*)"$/m.exec(workspace)?.[1])
  t.equal(version, readVersion(), 'program and core have one version')
  t.match(target, /^[a-z0-9_]+-[a-z0-9]+-[a-z0-9-]+$/)
  t.match(profile, /^(release|debug)$/)
  t.match(compiler, /^rustc \d+\.\d+\.\d+/)
})

t.test('--version names version, commit and native build', async (t) => {
  const { stdout, code } = await runCommand(['--version'])
  t.equal(code, 0)
  t.match(
    stdout,
    /^\d+\.\d+\.\d+ \(commit (unknown|[0-9a-f]{7,}(-dirty)?)\), native core [\d.]+ \([^ ]+, (release|debug), rustc [^ ]+\)\n$/,
  )
  const native = { version: '1.0.0', target: 'riscv64', profile: 'release', compiler: 'rustc 1.95.0' }
  t.equal(
    describeVersion('0.9.0', 'abc1234', native),
    '0.9.0 (commit abc1234), native core 1.0.0 (riscv64, release, rustc 1.95.0)',
  )
  t.equal(readCommit(), 'unknown', 'sources belong to no build')
})

t.test('a build notes its commit, and the lack of one', async (t) => {
  const page = () => ({ src: { page: { 'main.js': '// a page' } } })
  const folder = t.testdir({ bare: page(), repository: page() })
  const commitOf = (name: string): unknown => {
    const checkout = join(folder, name)
    const dist = join(checkout, 'dist')
    mkdirSync(join(dist, 'library'), { recursive: true })
    // What the compiler leaves: the declarations of the package, and some that nobody outside reaches.
    writeFileSync(join(dist, 'library/developmentNode.d.ts'), 'export declare function createNode(): void\n')
    writeFileSync(join(dist, 'inner.d.ts'), 'export {}\n')
    execFileSync(process.execPath, [join(ROOT, '.deploy/package/finishBuild.mjs'), dist, checkout])
    t.equal(readFileSync(join(dist, 'page/main.js'), 'utf8'), '// a page')
    t.notOk(existsSync(join(dist, 'inner.d.ts')))
    return JSON.parse(readFileSync(join(dist, 'build.json'), 'utf8')).commit
  }
  t.equal(commitOf('bare'), 'unknown')
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...words], {
      cwd: join(folder, 'repository'),
      encoding: 'utf8',
    }).trim()
  git('init', '--quiet')
  git('add', 'src')
  git('commit', '--quiet', '--message', 'a page')
  const hash = git('rev-parse', '--short=7', 'HEAD')
  t.equal(commitOf('repository'), hash)
  writeFileSync(join(folder, 'repository/src/page/other.js'), '')
  git('add', 'src')
  t.equal(commitOf('repository'), `${hash}-dirty`)
})
