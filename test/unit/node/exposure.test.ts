import t from 'tap'
import { fillDefaults } from '../../../src/config/load.ts'
import type { PartialConfig } from '../../../src/config/schema.ts'
import { assertSafeExposure } from '../../../src/node/exposure.ts'

const check = (config: PartialConfig) => () => assertSafeExposure(fillDefaults(config))

t.test('control over chain and keys is for this machine', async (t) => {
  for (const host of ['0.0.0.0', '192.0.2.7', '::', 'node.example']) {
    t.throws(check({ host }), { code: 'EXPOSED', message: /--allow-remote-control/ }, host)
  }
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost']) t.doesNotThrow(check({ host }), host)
  t.doesNotThrow(check({ host: '0.0.0.0', allowRemoteControl: true }))
})

t.test('what is closed can be offered to everybody', async (t) => {
  const host = '0.0.0.0'
  t.doesNotThrow(check({ host, profile: 'hosted' }))
  t.doesNotThrow(check({ host, network: 'main' }))
  t.throws(check({ host, wallet: false }), { message: /the module evm: listen/ })
  t.doesNotThrow(check({ host, wallet: false, modules: ['eth', 'net'] }))
  t.throws(check({ host, modules: ['eth'] }), { message: /the keys of the wallet/ })
  t.throws(check({ host, profile: 'hosted', modules: ['evm'] }), { message: /the module evm/ })
  t.doesNotThrow(check({ host, network: 'main', modules: ['evm'] }), 'there is no evm on main')
})
