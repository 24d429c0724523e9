import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ConfigError } from '../../../src/config/errors.ts'
import { parseConfigFile } from '../../../src/config/file.ts'
import { fillDefaults, loadConfig } from '../../../src/config/load.ts'
import { LANES, laneLimits } from '../../../src/config/options/lanes.ts'
import {
  environmentNameOf,
  flagOf,
  OPTION_KEYS,
  OPTIONS,
  type PartialConfig,
} from '../../../src/config/schema.ts'
import { checkValue, parseValue } from '../../../src/config/value.ts'

t.test('every default is a value that the option accepts, on every network', (t) => {
  for (const network of OPTIONS.network.values) {
    const config = fillDefaults({ network })
    for (const key of OPTION_KEYS) t.equal(checkValue(OPTIONS[key], config[key], key), config[key])
  }
  t.end()
})

t.test('flags and environment names follow from the key', (t) => {
  t.equal(flagOf('httpPort'), '--http-port')
  t.equal(environmentNameOf('httpPort'), 'RHIZOME_HTTP_PORT')
  t.equal(new Set(OPTION_KEYS.map(environmentNameOf)).size, OPTION_KEYS.length)
  t.end()
})

t.test('a flag wins over the environment, and that over the file', (t) => {
  const file = join(t.testdir(), 'node.yaml')
  writeFileSync(file, 'httpPort: 1\nworkers: 2\ncommitEvery: 3\nallowedHosts: [a]\n')
  const config = loadConfig({
    flags: { config: file, httpPort: 10 },
    environment: { RHIZOME_HTTP_PORT: '20', RHIZOME_WORKERS: '21', PATH: '/bin' },
  })
  t.match(config, { httpPort: 10, workers: 21, commitEvery: 3, allowedHosts: ['a'] })
  t.end()
})

t.test('the environment may name the file', (t) => {
  const file = join(t.testdir(), 'node.json')
  writeFileSync(file, '{"network": "testnet", "mining": true}')
  t.match(loadConfig({ environment: { RHIZOME_CONFIG: file } }), { network: 'testnet', mining: true })
  t.end()
})

t.test('defaults follow the network and the profile', (t) => {
  t.match(fillDefaults({}), { network: 'regtest', profile: 'dev', mining: true, safeDistance: 0 })
  t.match(fillDefaults({ network: 'main' }), { profile: 'hosted', mining: false, finalizedDistance: 120 })
  t.match(fillDefaults({ network: 'main', profile: 'dev' }), {
    corsOrigin: 'loopback,extensions',
    allowedHosts: ['localhost'],
    safeDistance: 0,
  })
  t.match(fillDefaults({ network: 'main' }), { corsOrigin: null, allowedHosts: ['*'] })
  t.equal(fillDefaults({}).revertErrors, 'geth', 'clients of developers decode no other')
  t.equal(fillDefaults({ profile: 'hosted' }).revertErrors, 'reference', "the specification's")
  t.end()
})

t.test('the word none takes an optional value away', (t) => {
  t.equal(loadConfig({ environment: { RHIZOME_CORS_ORIGIN: 'none' } }).corsOrigin, null)
  t.equal(fillDefaults({ corsOrigin: null }).corsOrigin, null)
  t.equal(parseConfigFile('corsOrigin: null', 'f').corsOrigin, null)
  t.end()
})

t.test('origins are those that browsers send, and nobody trusts all', (t) => {
  for (const corsOrigin of ['*', 'loopback,extensions', 'https://app.example, http://localhost:3000']) {
    t.equal(loadConfig({ flags: { corsOrigin } }).corsOrigin, corsOrigin)
  }
  for (const corsOrigin of ['app.example', 'https://app.example/', 'https://app.example:443', 'null']) {
    t.throws(() => loadConfig({ flags: { corsOrigin } }), { message: /^--cors-origin: expected origins/ })
  }
  const wallet = 'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn'
  t.same(loadConfig({ flags: { trustedOrigins: ['loopback', wallet] } }).trustedOrigins, ['loopback', wallet])
  for (const origin of ['*', 'https://App.example']) {
    t.throws(() => loadConfig({ flags: { trustedOrigins: [origin] } }), { message: /^--trusted-origins: / })
  }
  t.end()
})

t.test('every lane has limits', (t) => {
  const config = fillDefaults({ laneScanQueue: 3 })
  for (const lane of LANES) t.ok(laneLimits(config, lane).queue >= 1)
  t.equal(laneLimits(config, 'scan').queue, 3)
  t.end()
})

t.test('a bad number is refused with its unit, and in digits where it was written otherwise', (t) => {
  const refused = (key: 'balance' | 'transactionGas' | 'blockTime' | 'httpPort', text: string) => {
    try {
      return parseValue(OPTIONS[key], text, flagOf(key))
    } catch (error) {
      return error instanceof ConfigError ? error.message : error
    }
  }
  t.equal(refused('balance', '1.5'), '--balance: expected integer from 0 to 1000000000, in RBTC, got "1.5"')
  const gas = '--transaction-gas: expected integer from 0 to 500000000, in gas, got'
  for (const text of ['30M', '30m', '30_000_000', '30,000,000', '3e7', '0x1c9c380', '30000k'])
    t.equal(refused('transactionGas', text), `${gas} "${text}"; did you mean 30000000?`)
  for (const text of ['600M', '1e30', '-1', '', '.', '_', 'M', '1..2', '1e', '0x', '0xzz', '12 ether'])
    t.equal(refused('transactionGas', text), `${gas} "${text}"`)
  t.equal(refused('blockTime', '1s'), '--block-time: expected integer from 0 to 86400, in seconds, got "1s"')
  t.equal(
    refused('httpPort', '4_444'),
    '--http-port: expected integer from 0 to 65535, got "4_444"; did you mean 4444?',
  )
  t.equal(refused('balance', ' 7 '), 7)
  t.end()
})

t.test('what is said of the accounts of a mnemonic needs one', (t) => {
  for (const flags of [{ accounts: 3 }, { balance: 5 }, { derivationPath: 'm' }]) {
    t.throws(() => loadConfig({ flags }), {
      code: 'Conflict',
      message: /^--(accounts|balance|derivation-path) needs --mnemonic, or --client-name hardhat or anvil/,
    })
    t.match(loadConfig({ flags: { ...flags, clientName: 'anvil' } }), flags)
    t.match(loadConfig({ flags: { ...flags, mnemonic: 'some words' } }), flags)
    t.match(loadConfig({ flags: { ...flags, forkUrl: 'https://host' } }), flags)
  }
  t.end()
})

const refusals: [name: string, load: () => unknown, code: string, message: RegExp][] = [
  [
    'unknown key',
    () => parseConfigFile('httpPrt: 1', 'f'),
    'UnknownOption',
    /httpPrt.*did you mean httpPort/,
  ],
  ['a key far from all', () => parseConfigFile('zzzzzzzzzzzz: 1', 'f'), 'UnknownOption', /is no option$/],
  ['a file inside a file', () => parseConfigFile('config: a', 'f'), 'UnknownOption', /config is no option/],
  [
    'text for a number',
    () => parseConfigFile('httpPort: "1"', 'f'),
    'InvalidValue',
    /httpPort: expected integer/,
  ],
  ['out of bounds', () => parseConfigFile('httpPort: 65536', 'f'), 'InvalidValue', /0 to 65535, got 65536/],
  ['a fraction', () => parseConfigFile('workers: 1.5', 'f'), 'InvalidValue', /expected integer/],
  [
    'neither form of proofs',
    () => parseConfigFile('proofs: blocks:0', 'f'),
    'InvalidValue',
    /archive\|blocks:N/,
  ],
  [
    'neither form of history',
    () => parseConfigFile('history: all', 'f'),
    'InvalidValue',
    /archive\|blocks:N/,
  ],
  ['unknown word', () => parseConfigFile('network: mian', 'f'), 'InvalidValue', /did you mean main/],
  [
    'a path that is none',
    () => parseConfigFile('derivationPath: x', 'f'),
    'InvalidValue',
    /of the form PATH \(such as m\/44'\/60'\/0'\/0\), got "x"/,
  ],
  ['a bad address', () => parseConfigFile('coinbase: "0x12"', 'f'), 'InvalidValue', /ADDRESS/],
  ['a list', () => parseConfigFile('[1]', 'f'), 'InvalidFile', /got a list/],
  ['broken YAML', () => parseConfigFile('a: [', 'f'), 'InvalidFile', /^f: /],
  ['a key twice', () => parseConfigFile('workers: 1\nworkers: 2', 'f'), 'InvalidFile', /unique/],
  ['no file', () => loadConfig({ flags: { config: '/no/such/file' } }), 'UnreadableFile', /no\/such\/file/],
  [
    'unknown variable',
    () => loadConfig({ environment: { RHIZOME_HOTS: 'a' } }),
    'UnknownOption',
    /RHIZOME_HOST/,
  ],
  [
    'bad variable',
    () => loadConfig({ environment: { RHIZOME_MINING: 'yes' } }),
    'InvalidValue',
    /true or false/,
  ],
]
for (const [name, load, code, message] of refusals) {
  t.test(`refused: ${name}`, (t) => {
    t.throws(load, { code, message })
    t.throws(load, ConfigError)
    t.end()
  })
}

t.test('options that make no sense together are refused', (t) => {
  const address = `0x${'11'.repeat(20)}`
  const page = 'https://rates.example/btc'
  const cases: [PartialConfig, RegExp | null][] = [
    [
      { network: 'main', mergedMining: true },
      /--merged-mining on main needs --coinbase or --coinbase-secret/,
    ],
    [{ network: 'main', mergedMining: true, coinbase: address }, null],
    [{ network: 'main', mergedMining: true, coinbaseSecret: 'a secret' }, null],
    [{ mergedMining: true }, null],
    [{ coinbase: address, coinbaseSecret: 'a secret' }, /--coinbase and --coinbase-secret both/],
    [{ stableGasPrice: 5 }, /--stable-gas-price needs a rate/],
    [{ stableGasPrice: 5, gasPriceRateUrl: page }, null],
    [{ stableGasPrice: 5, gasPriceRateContract: address }, null],
    [{ gasPriceRateUrl: page, gasPriceRateContract: address }, /both say where the rate/],
    [{ proofs: 'archive', snapshotServer: true }, null],
    [{ proofs: 'blocks:128' }, null],
    [{ proofs: 'blocks:127' }, /at least 128 blocks are needed, because reorganisations/],
    [{ proofs: 'blocks:199', finalizedDistance: 200 }, /at least 200 .* --finalized-distance/],
    [{ proofs: 'blocks:8839', snapshotServer: true }, /at least 8840 .* --snapshot-server/],
    [{ proofs: 'blocks:8840', snapshotServer: true }, null],
    [{ proofs: 'blocks:200', history: 'blocks:200' }, null],
    [{ proofs: 'blocks:200', history: 'archive' }, null],
    [{ proofs: 'blocks:200', history: 'blocks:199' }, /--history blocks:199 keeps values of fewer blocks/],
    [{ history: 'blocks:1000000' }, /fewer blocks than --proofs archive/],
    [{ gasPriceRateMinimum: 6, gasPriceRateMaximum: 5 }, /at least --gas-price-rate-minimum 6/],
  ]
  for (const [flags, message] of cases) {
    if (message === null) t.doesNotThrow(() => loadConfig({ flags }))
    else t.throws(() => loadConfig({ flags }), { name: 'ConfigError', code: 'Conflict', message })
  }
  t.end()
})
