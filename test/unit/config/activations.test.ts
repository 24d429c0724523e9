import { readFileSync } from 'node:fs'
import t from 'tap'
import { activeRules, isActivating, isActive, NEVER } from '../../../src/config/activations.ts'
import { createNetworkSpec, toNativeSpec } from '../../../src/config/networkSpec.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { NETWORK_NAMES, type NetworkName } from '../../../src/config/networks/names.ts'
import { RULES } from '../../../src/config/rules.ts'
import { RECORDED_RULES, recordedHeights } from '../../support/recordedRules.ts'
import { readVectorLines } from '../../support/vectors.ts'

/** Heights of the rules that were recorded: a newer one may land before the reference has it. */
function recordedOf(name: NetworkName): Record<string, number> {
  const heights = Object.entries(networkByName(name).activationHeights)
  return Object.fromEntries(heights.filter(([rule]) => RECORDED_RULES.has(rule)))
}

type Environment = { network: NetworkName; number: string; activeRules: string[] }

t.test('the rules of every recorded environment are active', (t) => {
  const environments = readVectorLines<Environment>('consensus/vm-environments.jsonl')
  t.ok(environments.length > 0)
  for (const environment of environments) {
    const rules = activeRules(networkByName(environment.network), Number(environment.number))
    const active = rules.filter((rule) => RECORDED_RULES.has(rule))
    t.same(active.sort(), environment.activeRules.sort(), `${environment.network} ${environment.number}`)
  }
  t.end()
})

for (const name of NETWORK_NAMES) {
  t.test(`activation heights of ${name} equal the recorded ones`, (t) => {
    t.same(recordedOf(name), recordedHeights(name))
    t.end()
  })
}

t.test('activation heights equal those recorded with the facts of the Bridge', (t) => {
  type Fact = { fact: string; network: string; value: Record<string, number> }
  const metadata = readVectorLines<Fact>('bridge/bridge-facts.jsonl').filter(
    ({ fact }) => fact === 'ruleHeights',
  )
  const names: Record<string, NetworkName> = { mainnet: 'main', testnet: 'testnet', regtest: 'regtest' }
  t.equal(metadata.length, 3)
  for (const { network, value } of metadata) {
    const name = names[network]
    t.same(name && recordedOf(name), value, network)
  }
  t.end()
})

t.test('the native core knows the same rules', (t) => {
  const source = readFileSync(
    new URL('../../../native/crates/primitives/src/rules.rs', import.meta.url),
    'utf8',
  )
  const names = [...source.matchAll(/^ {4}.*$/gm)].flatMap(([line]) =>
    [...line.matchAll(/\b\w+ = "(\w+)"/g)].map((match) => match[1]),
  )
  t.same(names, RULES)
  t.end()
})

t.test('a rule is active from its height on, and activating at its height only', (t) => {
  const spec = createNetworkSpec(networkByName('regtest'), {
    activationHeights: { rskip144: 5, rskip85: NEVER },
  })
  t.equal(isActive(spec, 'rskip144', 4), false)
  t.equal(isActive(spec, 'rskip144', 5), true)
  t.equal(isActivating(spec, 'rskip144', 5), true)
  t.equal(isActivating(spec, 'rskip144', 6), false)
  t.equal(isActive(spec, 'rskip85', 1_000_000), false)
  t.equal(isActive(spec, 'rskip87', 0), true, 'other rules keep the heights of the network')
  t.end()
})

t.test('the native document carries every rule', (t) => {
  const document = JSON.parse(toNativeSpec(networkByName('main')))
  t.same(Object.keys(document).sort(), [
    'activationHeights',
    'bridge',
    'chainId',
    'minimumSequentialGas',
    'name',
    'remasc',
  ])
  t.same(Object.keys(document.activationHeights).sort(), [...RULES].sort())
  t.end()
})
