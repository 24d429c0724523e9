import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  type Crate,
  faultsOfCargoLock,
  faultsOfCrates,
  faultsOfPackages,
  type LockedPackage,
  uncheckedPackages,
} from '../../.ci/audit.ts'
import { ROOT } from '../support/sources.ts'

const INTEGRITY = `sha512-${'A'.repeat(86)}==`
const GOOD: LockedPackage = { version: '1.2.3', license: 'MIT', integrity: INTEGRITY }

t.test('the lock files of this project are as they should be', async (t) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  t.ok(Object.keys(packages).length > 500)
  t.same(faultsOfPackages(packages), [])
  for (const path of ['native/Cargo.lock', 'native/fuzz/Cargo.lock']) {
    const text = readFileSync(join(ROOT, path), 'utf8')
    t.ok(text.split('[[package]]').length > 200)
    t.same(faultsOfCargoLock(text), [], path)
  }
})

t.test('packages that must not be', async (t) => {
  const faults = (locked: LockedPackage, name = 'some') =>
    faultsOfPackages({ '': {}, [`node_modules/${name}`]: locked })
  t.same(faults(GOOD), [])
  t.same(faults({ ...GOOD, license: '(WTFPL OR MIT)' }), [])
  t.same(faults({ ...GOOD, license: 'LGPL-3.0', dev: true }), [])
  const { integrity: _, ...unchecked } = GOOD
  for (const [locked, message, name] of [
    [unchecked, 'has no integrity'],
    [{ ...GOOD, integrity: 'sha1-AAAA' }, 'has no integrity'],
    [{ ...unchecked, optional: true, os: ['linux'], cpu: ['x64'] }, 'has no integrity'],
    [{ ...GOOD, resolved: 'git+ssh://git@example.org/some.git#1' }, 'comes from '],
    [{ ...GOOD, resolved: 'http://example.org/some/-/some-1.2.3.tgz' }, 'comes from '],
    [{ ...GOOD, resolved: 'https://example.org/some/-/some-1.2.3.tgz' }, 'comes from '],
    [{ ...GOOD, link: true }, 'is a link'],
    [{ ...GOOD, hasInstallScript: true }, 'runs a script'],
    [{ ...GOOD, license: 'LGPL-3.0' }, 'licence LGPL-3.0'],
    [{ ...GOOD, license: 'MIT AND GPL-3.0' }, 'licence MIT AND GPL-3.0'],
    [{ ...GOOD, license: undefined }, 'licence of nobody knows'],
    [{ ...GOOD, license: 'SEE LICENSE IN x' }, 'licence SEE LICENSE IN x'],
    [GOOD, 'only malicious packages had', 'flatmap-stream'],
    [{ ...GOOD, version: '5.6.1' }, 'malicious code', 'a/node_modules/chalk'],
  ] as const) {
    const found = faults(locked as LockedPackage, name)
    t.equal(found.length, 1, message)
    t.match(found[0], message)
  }
  const other: LockedPackage = { version: '1.0.0', optional: true, os: ['darwin'], cpu: ['arm64'] }
  t.same(faults(other), [], 'what other platforms install is not known here')
  t.same(uncheckedPackages({ 'node_modules/other': other, 'node_modules/some': GOOD }), [
    'node_modules/other',
  ])
})

t.test('crates that must not be', async (t) => {
  const source = 'registry+https://github.com/rust-lang/crates.io-index'
  const crate: Crate = { name: 'some', version: '1.0.0', license: 'MIT OR Apache-2.0', source }
  t.same(faultsOfCrates([crate, { ...crate, license: '(MIT OR Apache-2.0) AND Unicode-3.0' }]), [])
  t.same(faultsOfCrates([{ ...crate, name: 'rhizome-trie', license: 'Apache-2.0', source: null }]), [])
  for (const [changed, message] of [
    [{ ...crate, source: null }, 'comes from null'],
    [{ ...crate, source: 'git+https://example.org/some' }, 'comes from git'],
    [{ ...crate, license: null }, 'licence null'],
    [{ ...crate, license: 'GPL-3.0' }, 'licence GPL-3.0'],
    [{ ...crate, license: '(MIT OR Apache-2.0) AND GPL-3.0' }, 'AND GPL-3.0'],
    [{ ...crate, name: 'rustdecimal' }, 'only malicious'],
  ] as const) {
    const found = faultsOfCrates([changed])
    t.equal(found.length, 1, message)
    t.match(found[0], message)
  }
  const entry = (lines: string) => `version = 4\n\n[[package]]\nname = "some"\nversion = "1.0.0"\n${lines}\n`
  t.same(faultsOfCargoLock(entry(`source = "${source}"\nchecksum = "${'ab'.repeat(32)}"`)), [])
  t.match(faultsOfCargoLock(entry(`source = "${source}"`)), [/no checksum/])
  t.match(faultsOfCargoLock(entry('source = "git+https://example.org/some#1"')), [/comes from git/])
  t.match(faultsOfCargoLock(entry('')), [/has no source/])
})
