import t from 'tap'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { type NetworkRules, networkOf, STANDARD_RULES } from '../../../src/fork/upstreamNetwork.ts'

const OTHER = `0x${'77'.repeat(32)}`
const WITH_HEIGHTS = `0x${'88'.repeat(32)}`
const genesisOf = (name: Parameters<typeof networkByName>[0]) => networkByName(name).genesis.hash

/** Rules of somebody who named heights, with which regtest and devnet have another genesis. */
const chosen: NetworkRules = {
  specOf: networkByName,
  genesisHashOf: (network) => {
    if (network !== 'regtest' && network !== 'devnet') throw new Error(`${network} has heights of its own`)
    return WITH_HEIGHTS
  },
  hasFile: true,
}

t.test('a network is known by its genesis and its chain id', async (t) => {
  for (const name of ['main', 'testnet', 'testnet2', 'devnet', 'regtest'] as const)
    t.equal(networkOf(networkByName(name).chainId, genesisOf(name), STANDARD_RULES), name)
  t.equal(networkOf(33, WITH_HEIGHTS, chosen), 'regtest')
  t.equal(networkOf(32, WITH_HEIGHTS, chosen), 'devnet')
  const same = { ...chosen, genesisHashOf: genesisOf }
  t.equal(networkOf(33, genesisOf('regtest'), same), 'regtest', 'heights that genesis does not tell')
})

t.test('what is not known is told by its chain id, with what is to be done', async (t) => {
  const told = (chainId: number, genesis: string, rules: NetworkRules, pattern: RegExp) =>
    t.throws(() => networkOf(chainId, genesis, rules), { code: 'NETWORK', message: pattern })
  for (const [name, chainId] of [
    ['main', 30],
    ['testnet', 31],
  ] as const) {
    told(
      ...([chainId, genesisOf(name), chosen] as const),
      new RegExp(`is ${name}, chain id ${chainId}, .*: leave out --activation-heights$`),
    )
    for (const rules of [STANDARD_RULES, chosen]) {
      told(
        ...([chainId, OTHER, rules] as const),
        new RegExp(
          `chain id of ${name}, ${chainId}, and genesis ${OTHER}, which is not that of ${name}: .*name a node of ${name} with --fork-url$`,
        ),
      )
    }
  }
  for (const rules of [STANDARD_RULES, chosen]) {
    told(
      1,
      OTHER,
      rules,
      /has chain id 1 and genesis .*--fork-url: main 30, testnet 31, testnet2 34, devnet 32, regtest 33$/,
    )
    told(
      ...([77, genesisOf('main'), rules] as const),
      /has the genesis of main with chain id 77, and main has 30: .*name a node of main with --fork-url$/,
    )
    told(31, genesisOf('main'), rules, /has the genesis of main with chain id 31, and main has 30/)
  }
  told(
    ...([33, OTHER, STANDARD_RULES] as const),
    /chain id of regtest, 33, and genesis .*name the file of those that the upstream runs with, --activation-heights FILE$/,
  )
  told(
    ...([32, OTHER, chosen] as const),
    new RegExp(
      `chain id of devnet, 32, .* give ${WITH_HEIGHTS}: name the file of those that the upstream runs with$`,
    ),
  )
  told(
    ...([33, genesisOf('regtest'), chosen] as const),
    new RegExp(
      `is regtest, chain id 33, with its usual heights; .* give genesis ${WITH_HEIGHTS}: leave the option out`,
    ),
  )
})
