import t from 'tap'
import { checkMember } from '../../../src/config/conflicts.ts'
import { loadConfig } from '../../../src/config/load.ts'
import type { PartialConfig } from '../../../src/config/schema.ts'
import { fleetOptionsFromConfig } from '../../../src/node/options/fleetOptions.ts'
import { SignerKey } from '../../../src/snapshot/blsKeys.ts'

const load = (flags: PartialConfig) => loadConfig({ flags, environment: {} })

t.test('options of a fleet that contradict one another', async (t) => {
  const conflicts: readonly [PartialConfig, RegExp][] = [
    [{ fleetUser: 'a', fleetCredentials: 'b' }, /--fleet-user and --fleet-credentials/],
    [{ fleetPassword: 'a' }, /--fleet-password needs --fleet-user/],
    [{ fleetCert: 'a' }, /--fleet-cert and --fleet-key belong together/],
    [{ fleetKey: 'a' }, /--fleet-cert and --fleet-key belong together/],
    [{ fleetSignerKey: 'a' }, /--fleet-signer-key and --fleet-signer-passphrase belong together/],
    [{ fleetQuorum: 1, fleetKeys: ['a'] }, /--fleet-quorum 1 needs --fleet:/],
    [
      { fleetQuorum: 2, fleetKeys: ['a'], snapshotKeys: ['b', 'c'], fleet: ['nats://a:1'] },
      /--fleet-quorum 2 needs as many keys, and 1 are trusted: name those of the members that sign with --fleet-keys/,
    ],
    [{ bootstrap: 'fleet' }, /--bootstrap fleet needs --fleet; a folder of that name is .\/fleet/],
  ]
  for (const [flags, message] of conflicts) {
    t.throws(() => load(flags), { code: 'Conflict', message }, JSON.stringify(flags))
  }
  t.ok(load({ fleetUser: 'a', fleetPassword: 'b', fleetCert: 'c', fleetKey: 'd' }))
  t.ok(
    load({ fleetQuorum: 2, snapshotKeys: ['b', 'c'], fleet: ['nats://a:1'] }),
    'keys for snapshots stand in',
  )
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

t.test('keys of a quorum are those of the fleet, or else those for snapshots', async (t) => {
  const [one, two] = [1, 2].map((seed) => SignerKey.generate(Buffer.alloc(32, seed))) as [
    SignerKey,
    SignerKey,
  ]
  const textOf = (key: SignerKey) => `${key.publicKey}:${key.prove()}`
  const heads = (flags: PartialConfig) =>
    fleetOptionsFromConfig(load({ fleet: ['nats://a:1'], network: 'testnet', ...flags }), '1')?.heads
  const [snapshotKeys, fleetKeys] = [[textOf(one)], [textOf(two)]]
  t.same(heads({ snapshotKeys, fleetKeys, fleetQuorum: 1 }), { quorum: 1, keys: [two.publicKey] })
  t.same(heads({ snapshotKeys, fleetQuorum: 1 }), { quorum: 1, keys: [one.publicKey] })
  t.same(
    heads({ snapshotKeys }),
    { quorum: 0, keys: [] },
    'without a quorum they need not be keys of members',
  )
  t.same(heads({ snapshotKeys, fleetKeys }), { quorum: 0, keys: [two.publicKey] })
  const wrong = [`${one.publicKey}:${two.prove()}`]
  t.throws(() => heads({ fleetKeys: wrong }), { code: 'InvalidValue', message: /--fleet-keys: the proof of/ })
  t.throws(() => heads({ snapshotKeys: wrong, fleetQuorum: 1 }), { message: /--snapshot-keys: the proof of/ })
})
