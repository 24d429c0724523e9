import t from 'tap'
import { isEnabled, moduleOf } from '../../../src/rpc/availability.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { type RecordingHead, readOptions } from './readOptions.ts'
import {
  nodeInfoOf,
  type ReferenceSettings,
  referenceSettings,
  replayConfigOf,
  toReplayConfig,
} from './replayConfig.ts'
import { IRRELEVANT, LISTS, SETTINGS } from './table.ts'

const withOptions = (...options: readonly string[]): RecordingHead => ({ node: { options } })
const configWith = (...options: readonly string[]) => replayConfigOf(withOptions(...options)).config

/** Methods that a recorded node with these options has. */
function offered(...options: readonly string[]): Set<string> {
  const { enabled } = nodeInfoOf(replayConfigOf(withOptions(...options))).settings
  return new Set(METHODS.filter((method) => isEnabled(method, enabled)).map(({ name }) => name))
}

t.test('what the reference has where a recording says nothing', async (t) => {
  const { config, settings } = replayConfigOf({ node: {} })
  t.match(config, {
    network: 'regtest',
    minimumGasPrice: 0,
    mining: true,
    accountQuota: true,
    callGasCap: 10_000_000,
    stateOverrides: false,
    allowedHosts: ['localhost'],
    corsOrigin: null,
    gasPriceFloor: 0,
  })
  t.equal(settings.gasPriceFactor, 1100n)
})

t.test('an option that is not in the table fails with its name', async (t) => {
  const fails = (head: RecordingHead, message: RegExp) =>
    t.throws(() => replayConfigOf(head), { code: 'RECORDING_OPTION', message })
  fails(withOptions('miner.minGasPrise=1'), /miner\.minGasPrise/)
  fails(withOptions('rpc.modules.eth.enable=true'), /rpc\.modules\.eth\.enable /)
  fails(withOptions('some rpc modules enabled'), /some rpc modules enabled/)
  fails({ node: { cmd: 'regtest 4444 -Drpc.new=1' } }, /rpc\.new/)
  fails({ node: { cmd: 'regtest --fast' } }, /--fast/)
  fails({ node: { network: 'main' } }, /main/)
})

t.test('a value that cannot be read or replayed fails with its key', async (t) => {
  const fails = (option: string, message: RegExp) =>
    t.throws(() => replayConfigOf(withOptions(option)), { code: 'RECORDING_OPTION', message })
  fails('miner.minGasPrice=much', /miner\.minGasPrice.*whole number.*much/)
  fails('wallet.enabled=maybe', /wallet\.enabled.*maybe/)
  fails('rpc.minGasPriceMultiplier=x', /rpc\.minGasPriceMultiplier/)
  fails('rpc.skipRemasc=true', /rpc\.skipRemasc.*only false/)
  fails('blockchain.config.consensusRules.rskip351=0', /rskip351.*only 1/)
  fails('blockchain.config.hardforkActivationHeights.reed810=5', /reed810.*only 0/)
  fails('rpc.providers.web.cors=http://a http://b', /cors/)
  t.doesNotThrow(() => replayConfigOf(withOptions('rpc.skipRemasc=no')))
  t.doesNotThrow(() => replayConfigOf(withOptions('blockchain.config.consensusRules.rskip351=1')))
})

t.test('every option of the table changes what the node is set up with', async (t) => {
  const read = new Set<string>()
  const recorded = readOptions(withOptions('rpc.providers.web.http.bind_address=0.0.0.0'))
  const watched = new Proxy(referenceSettings(recorded), {
    get: (settings, key) => {
      read.add(String(key))
      return settings[key as keyof ReferenceSettings]
    },
  })
  toReplayConfig(watched, recorded)
  t.same([...read].sort(), Object.keys({ ...SETTINGS, ...LISTS }).sort())
  for (const key of Object.keys(IRRELEVANT)) {
    t.notOk(key in SETTINGS)
    t.doesNotThrow(() => replayConfigOf(withOptions(`${key.replace('**', 'any')}=1`)), key)
  }
})

t.test('values in the forms of the reference', async (t) => {
  const forms = ['miner.minGasPrice=59', 'miner.minGasPrice = 59', 'miner.minGasPrice: "59"']
  for (const form of forms) t.equal(configWith(form).minimumGasPrice, 59, form)
  t.equal(replayConfigOf({ node: { cmd: '--regtest -Xminer.minGasPrice=7' } }).config.minimumGasPrice, 7)
  t.equal(configWith('transaction.accountTxRateLimit.enabled=off').accountQuota, false)
  t.equal(configWith('rpc.callGasCap=0').callGasCap, 1_000_000_000, 'no cap')
  t.equal(configWith('transaction.outdated.timeout=0').outdatedTime, 31_536_000, 'no timeout')
  t.equal(configWith('miner.client.autoMine=true').blockTime, 0)
  t.equal(configWith('miner.server.enabled=false').mining, false)
  t.equal(configWith('miner.server.enabled=false').coinbase, `0x${'00'.repeat(20)}`)
  t.equal(configWith(`miner.reward.address=${'ab'.repeat(20)}`).coinbase, `0x${'ab'.repeat(20)}`)
  t.equal(replayConfigOf(withOptions('rpc.minGasPriceMultiplier=1.25')).settings.gasPriceFactor, 1250n)
  const hosts = ['rpc.providers.web.http.hosts.0=one', 'rpc.providers.web.http.hosts.1=two']
  t.same(configWith('rpc.providers.web.http.bind_address=0.0.0.0', ...hosts).allowedHosts, ['one', 'two'])
  t.same(
    replayConfigOf({ node: { cmd: 'regtest -rpccors http://a.example' } }).config.corsOrigin,
    'http://a.example',
  )
})

t.test('modules: the defaults, all, single ones, and methods by name', async (t) => {
  const usual = offered()
  for (const name of ['eth_call', 'evm_mine', 'personal_newAccount', 'txpool_status'])
    t.ok(usual.has(name), name)
  for (const name of [
    'trace_block',
    'sco_peerList',
    'mnr_getWork',
    'rsk_getStorageBytesAt',
    'ext_getStorageBytesAt',
  ])
    t.notOk(usual.has(name), name)
  t.ok(
    METHODS.every(
      ({ audience, name }) => audience === 'internal' || offered('all rpc modules enabled').has(name),
    ),
  )
  t.notOk(offered('rpc.modules.evm.enabled=false').has('evm_mine'))
  t.ok(offered('rpc.modules.mnr.enabled=true').has('mnr_getWork'))
  const few = offered(
    'rpc.modules.eth.methods.enabled.0=eth_call',
    'rpc.modules.eth.methods.enabled.1=eth_chainId',
  )
  // The helper for unsigned transactions has the prefix of this module and belongs to another.
  t.same([...few].filter((name) => moduleOf(name) === 'eth').sort(), ['eth_call', 'eth_chainId'])
  t.ok(few.has('net_version'))
  const other = offered('rpc.modules.rsk.methods.disabled=["rsk_protocolVersion"]')
  t.notOk(other.has('rsk_protocolVersion'))
  t.ok(
    [...other].some((name) => name.endsWith('getStorageBytesAt')),
    'the list takes the place of the default',
  )
})
