import { readFileSync } from 'node:fs'
import t from 'tap'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { NETWORK_NAMES } from '../../../src/config/networks/names.ts'

// The tests of the native crates read these files because they cannot read TypeScript.
for (const name of NETWORK_NAMES) {
  t.test(`native/fixtures/bridge/${name}.json is the table of ${name}`, (t) => {
    const fixture = readFileSync(
      new URL(`../../../native/fixtures/bridge/${name}.json`, import.meta.url),
      'utf8',
    )
    t.equal(fixture, `${JSON.stringify(networkByName(name).bridge, null, 2)}\n`)
    t.end()
  })
}
