import t from 'tap'
import { FleetNames } from '../../../src/fleet/nats/names.ts'
import { isTooOld } from '../../../src/fleet/nats/natsConnection.ts'
import { pack, unpack } from '../../../src/fleet/nats/packed.ts'

const MEMBER = '0123456789abcdef'

t.test('names of a fleet', async (t) => {
  const names = new FleetNames('my-fleet')
  t.equal(names.log, 'my-fleet-log')
  t.equal(names.transactionSubject, 'my-fleet.log.tx')
  t.equal(names.serviceSubject(MEMBER, 'prepare'), `my-fleet.member.${MEMBER}.prepare`)
  const hash = Buffer.alloc(32, 0xab)
  t.same(names.blockHash(names.blockSubject(hash)), hash)
  for (const subject of ['my-fleet.block.ab', 'other.block.'.padEnd(76, 'a'), 'my-fleet.log.tx']) {
    t.equal(names.blockHash(subject), null, subject)
  }
})

t.test('nothing that NATS would take for a wildcard or another subject', async (t) => {
  for (const name of ['', 'a.b', 'A', 'a b', '*', '>', 'a'.repeat(33), 'a\n']) {
    t.throws(() => new FleetNames(name), { code: 'BadName' }, JSON.stringify(name))
  }
  const names = new FleetNames('a')
  for (const id of ['*', '>', '', MEMBER.slice(1), `${MEMBER}.x`, MEMBER.toUpperCase()]) {
    t.throws(() => names.serviceSubject(id, 'prepare'), { code: 'BadName' }, id)
  }
  for (const service of ['*', '>', '', 'a.b', 'A', 'a'.repeat(33)]) {
    t.throws(() => names.anySubject(service), { code: 'BadName' }, service)
  }
})

t.test('versions of servers', async (t) => {
  for (const old of ['2.9.25', '2.10.22', '2.11.1', '1.99.99', '', 'dev']) t.ok(isTooOld(old), old)
  for (const recent of ['2.11.2', '2.12.0', '2.15.1', '3.0.0', '2.12.0-beta.1'])
    t.notOk(isTooOld(recent), recent)
})

t.test('payloads', async (t) => {
  const value = {
    text: 'a',
    bytes: Buffer.from([1]),
    list: [1, null, true],
    large: 2n ** 100n,
    map: { x: -1 },
  }
  t.same(unpack(pack(value), 1000), value)
  t.throws(() => unpack(pack(value), 10), { code: 'TooLarge' })
  // Cut off, an array of 2^32 elements, nesting without an end.
  const wrong = [pack(value).subarray(0, 20), Buffer.from('ddffffffff', 'hex'), Buffer.alloc(100_000, 0x91)]
  for (const bytes of wrong) t.throws(() => unpack(bytes, 1_000_000), { code: 'Malformed' })
})
