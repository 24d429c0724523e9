import t from 'tap'
import { checkMember } from '../../../src/config/conflicts.ts'
import { loadConfig } from '../../../src/config/load.ts'
import type { PartialConfig } from '../../../src/config/schema.ts'

const load = (flags: PartialConfig) => loadConfig({ flags, environment: {} })

t.test('options of a fleet that contradict one another', async (t) => {
  const conflicts: readonly [PartialConfig, RegExp][] = [
    [{ fleetUser: 'a', fleetCredentials: 'b' }, /--fleet-user and --fleet-credentials/],
    [{ fleetPassword: 'a' }, /--fleet-password needs --fleet-user/],
    [{ fleetCert: 'a' }, /--fleet-cert and --fleet-key belong together/],
    [{ fleetKey: 'a' }, /--fleet-cert and --fleet-key belong together/],
    [{ fleetSignerKey: 'a' }, /--fleet-signer-key and --fleet-signer-passphrase belong together/],
    [{ bootstrap: 'fleet' }, /--bootstrap fleet needs --fleet; a folder of that name is .\/fleet/],
  ]
  for (const [flags, message] of conflicts) {
    t.throws(() => load(flags), { code: 'Conflict', message }, JSON.stringify(flags))
  }
  t.ok(load({ fleetUser: 'a', fleetPassword: 'b', fleetCert: 'c', fleetKey: 'd' }))
})

t.test('addresses and secrets of another form', async (t) => {
  for (const url of ['http://a:1', 'a:4222', 'nats://', 'nats://user@a:1', 'nats://a:1/b', 'ws://a']) {
    t.throws(() => load({ fleet: [url] }), { code: 'InvalidValue', message: '--fleet' }, url)
  }
  t.ok(load({ fleet: ['nats://a:4222', 'tls://b', 'nats://[::1]:4222'] }))
  const system = t.throws(() => load({ fleetSystem: 'hunter2' }), { code: 'InvalidValue' })
  t.notMatch(String(system), 'hunter2')
})

t.test('a member makes no block for each transaction, and tools of a fleet are not asked', async (t) => {
  const config = load({ fleet: ['nats://a:4222'], network: 'regtest', mining: true, blockTime: 0 })
  t.throws(() => checkMember(config), { code: 'Conflict', message: '--block-time' })
  checkMember(load({ fleet: ['nats://a:4222'], network: 'regtest', mining: false }))
})
