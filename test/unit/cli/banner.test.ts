import t from 'tap'
import { startBanner } from '../../../src/cli/banner.ts'
import { fillDefaults } from '../../../src/config/load.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import type { NetworkName } from '../../../src/config/networks/names.ts'
import type { PartialConfig } from '../../../src/config/schema.ts'
import type { RunningNode } from '../../../src/node/createNode.ts'
import { developmentAccounts } from '../../../src/node/dev/developmentAccounts.ts'

function banner(given: PartialConfig & { network: NetworkName }, node: Partial<RunningNode> = {}): string {
  const running: RunningNode = {
    spec: networkByName(given.network),
    host: '127.0.0.1',
    port: 4444,
    monitoring: null,
    head: 7,
    restored: 0,
    fork: null,
    accounts: developmentAccounts(networkByName(given.network)),
    setBalance: async () => undefined,
    balanceOf: () => 1_234_567n * 10n ** 18n + 5n * 10n ** 17n,
    reconfigure: () => ({ applied: [], afterRestart: [] }),
    stop: async () => undefined,
    failed: new Promise<never>(() => undefined),
    ...node,
  }
  return startBanner(running, fillDefaults(given), '1.2.3')
}

t.test('how blocks are made is said', (t) => {
  t.match(banner({ network: 'regtest' }), /^ +Mining +a block for every transaction, at once$/m)
  t.match(banner({ network: 'regtest', blockTime: 30 }), /^ +Mining +a block every 30 s$/m)
  t.match(banner({ network: 'regtest', mining: false }), /^ +Mining +off/m)
  t.end()
})

t.test('the project is said, or how one is named', (t) => {
  const folder = t.testdir({ 'hardhat.config.ts': '' })
  t.match(banner({ network: 'regtest' }), /^ +Project +--project DIR names contracts and errors/m)
  t.ok(banner({ network: 'regtest', project: folder }).includes(`Project    ${folder}\n`))
  const before = process.cwd()
  t.teardown(() => process.chdir(before))
  process.chdir(folder)
  t.ok(banner({ network: 'regtest' }).includes(`Project    ${process.cwd()}\n`), 'the working directory')
  t.notMatch(banner({ network: 'regtest', profile: 'hosted' }), /Project/)
  t.notMatch(banner({ network: 'main' }), /Project/)
  t.end()
})

t.test('where it is and what it has is said', (t) => {
  const text = banner({ network: 'main', dataDir: '/data' }, { host: '::1', restored: 3 })
  t.match(text, /^Rhizome 1\.2\.3\n/)
  t.match(text, /^ +Network +main, chain id 30$/m)
  t.match(text, /^ +JSON-RPC +http:\/\/\[::1\]:4444$/m)
  t.match(text, /^ +WebSocket +ws:\/\/\[::1\]:4444$/m)
  t.match(text, /^ +Page +http:\/\/\[::1\]:4444\/$/m)
  t.match(text, /^ +Data +\/data$/m)
  t.match(text, /^ +Head +block 7$/m)
  t.match(text, /^ +Pool +3 transactions of the last run wait again$/m)
  t.notMatch(text, /key 0x/)
  t.match(text, /^Ctrl-C stops the node\.\n$/m)
  t.end()
})

t.test('development accounts come with balance and key, or without one', (t) => {
  const text = banner({ network: 'regtest' })
  t.equal(text.match(/^ +\(\d\) 0x[0-9a-f]{40} {2}1,234,567\.5 RBTC\n +key 0x[0-9a-f]{64}$/gm)?.length, 10)
  const accounts = developmentAccounts(networkByName('regtest')).map(({ address }) => ({
    address,
    privateKey: null,
  }))
  const unknown = banner({ network: 'regtest' }, { accounts })
  t.equal(unknown.match(/^ +no known key$/gm)?.length, 10)
  t.notMatch(banner({ network: 'regtest', profile: 'hosted' }), /key/)
  t.notMatch(text, /mnemonic/)
  t.match(
    banner({ network: 'regtest', clientName: 'anvil' }),
    /mnemonic "test .* junk" at m\/44'\/60'\/0'\/0\/n,\nfunded by an edit/,
  )
  t.end()
})

t.test('a fork of a public network warns of what is signed on it', (t) => {
  const base = { number: 7, hash: '0xab' } as NonNullable<RunningNode['fork']>['base']
  const fork = { base, name: 'rpc.example.org' } as NonNullable<RunningNode['fork']>
  const text = banner(
    { network: 'testnet', profile: 'dev', forkUrl: 'https://rpc.example.org/key' },
    { fork },
  )
  t.match(text, /^ +Fork +of block 7 0xab, from rpc\.example\.org$/m)
  t.match(text, 'valid on the network itself, testnet with chain id 31')
  t.notMatch(text, 'example.org/key')
  t.notMatch(banner({ network: 'regtest' }, { fork }), 'valid on the network itself')
  t.end()
})
