import t from 'tap'
import { faultsOfCrates } from '../../.ci/audit.ts'
import { bundledCrates, thirdPartyText } from '../../.deploy/package/licences.ts'
import { nativeBuild } from '../../src/native/buildInfo.ts'
import { ROOT } from '../support/sources.ts'

const crates = bundledCrates(ROOT, nativeBuild().target)

t.test('crates of the native core have licences that are allowed', async (t) => {
  t.same(faultsOfCrates(crates), [])
  const names = crates.map(({ name }) => name)
  t.ok(names.includes('revm-interpreter') && names.includes('heed') && names.includes('secp256k1-sys'))
  t.notOk(names.includes('proptest'), 'what tests need is not bundled')
  t.notOk(names.some((name) => name.startsWith('rhizome')))
})

t.test('the notice names every crate and holds the texts that come with them', async (t) => {
  const text = thirdPartyText(crates, ['uWebSockets.js 1.2.3'])
  const unnamed = crates.filter(
    ({ name, version, license }) => !text.includes(`${name} ${version}: ${license}\n`),
  )
  t.same(unnamed, [])
  // LMDB lies in the sources of a crate, under a licence of its own.
  for (const part of [
    'The OpenLDAP Public License',
    'Permission is hereby granted',
    'uWebSockets.js 1.2.3',
  ]) {
    t.ok(text.includes(part), part)
  }
})
