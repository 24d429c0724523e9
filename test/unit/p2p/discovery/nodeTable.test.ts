import { randomBytes } from 'node:crypto'
import t from 'tap'
import { keccak256 } from '../../../../src/native/crypto.ts'
import { mayName, scopeOf } from '../../../../src/p2p/discovery/addressBlock.ts'
import { Contacts } from '../../../../src/p2p/discovery/contacts.ts'
import { distance, idHashOf } from '../../../../src/p2p/discovery/distance.ts'
import { createKnownNode } from '../../../../src/p2p/discovery/knownNode.ts'
import { namedNodes, neighborsOf } from '../../../../src/p2p/discovery/neighbors.ts'
import { NodeTable } from '../../../../src/p2p/discovery/nodeTable.ts'

const OWN = Buffer.alloc(64, 1)
const ownIdHash = idHashOf(OWN)
/** Ids whose places lie in one bucket: half of all are in the last one. */
const farIds = function* () {
  for (;;) {
    const id = randomBytes(64)
    if (distance(ownIdHash, idHashOf(id)) === 256) yield id
  }
}

t.test('distance counts from the first bit that differs, over hashes of hashes', (t) => {
  t.equal(idHashOf(OWN).toString('hex'), keccak256(keccak256(OWN)).toString('hex'))
  const zero = Buffer.alloc(32)
  t.equal(distance(zero, zero), 0)
  for (const [byte, index, expected] of [
    [0x80, 0, 256],
    [0x01, 0, 249],
    [0xff, 1, 248],
    [0x01, 31, 1],
    [0x02, 31, 2],
  ] as const) {
    const other = Buffer.alloc(32)
    other[index] = byte
    t.equal(distance(zero, other), expected)
  }
  t.end()
})

t.test('one block of addresses has 2 places of a bucket and 10 of the table', (t) => {
  const table = new NodeTable({ ownIdHash, exemptsLocal: false })
  for (let index = 0; index < 2_000; index += 1) {
    table.insert(createKnownNode(randomBytes(64), `203.0.113.${index % 250}`, 5050, 0))
  }
  t.equal(table.size, 10)
  const buckets = new Map<number, number>()
  for (const { idHash } of table.nodes()) {
    const away = distance(ownIdHash, idHash)
    buckets.set(away, (buckets.get(away) ?? 0) + 1)
  }
  t.ok([...buckets.values()].every((count) => count <= 2))
  t.equal(table.insert(createKnownNode(randomBytes(64), '203.0.114.1', 5050, 0)).status, 'added')
  const [first] = table.nodes()
  table.remove(first?.id ?? '')
  t.equal(table.size, 10)
  const spread = new NodeTable({ ownIdHash, exemptsLocal: false })
  for (let index = 0; index < 20_000; index += 1) {
    spread.insert(
      createKnownNode(
        randomBytes(64),
        `2001:db8:${(index % 100).toString(16)}::${index.toString(16)}`,
        5050,
        0,
      ),
    )
  }
  t.equal(spread.size, 10, '/32 of IPv6 is one block')
  t.end()
})

t.test('addresses of local networks are counted unless the network is one for development', (t) => {
  for (const [exemptsLocal, expected] of [
    [false, 2],
    [true, 16],
  ] as const) {
    const table = new NodeTable({ ownIdHash, exemptsLocal })
    const ids = farIds()
    for (let index = 0; index < 40; index += 1) {
      table.insert(createKnownNode(ids.next().value as Buffer, '127.0.0.1', 1000 + index, 0))
    }
    t.equal(table.size, expected)
  }
  t.end()
})

t.test('the own id is never taken', (t) => {
  const table = new NodeTable({ ownIdHash, exemptsLocal: false })
  t.equal(table.insert(createKnownNode(OWN, '203.0.113.1', 5050, 0)).status, 'own')
  t.equal(table.size, 0)
  t.end()
})

t.test('a full bucket challenges its oldest, which loses its place by silence only', (t) => {
  const contacts = new Contacts({ ownIdHash, exemptsLocal: false })
  const ids = farIds()
  const keys = Array.from({ length: 18 }, () => ids.next().value as Buffer)
  const [first, second] = keys as [Buffer, Buffer]
  const at = (index: number) => `${index + 1}.0.0.1`
  for (let index = 0; index < 16; index += 1)
    t.equal(contacts.record(keys[index] as Buffer, at(index), 5050, index), null)
  const challenge = contacts.record(keys[16] as Buffer, at(16), 5050, 100)
  t.equal(challenge?.oldest.id, first.toString('hex'))
  t.equal(contacts.tableSize, 16)
  t.equal(contacts.spares().length, 1, 'the challenger is remembered beside the table')
  // It answers: it is the newest now, and the next one challenges the second.
  t.equal(contacts.record(first, at(0), 5050, 200), null)
  const next = contacts.record(keys[17] as Buffer, at(17), 5050, 300)
  t.equal(next?.oldest.id, second.toString('hex'))
  if (next !== null) contacts.settle(next)
  t.equal(contacts.find(second.toString('hex'), at(1), 5050), null)
  t.ok(contacts.inTable().some(({ key }) => key.equals(keys[17] as Buffer)))
  t.same(
    contacts.spares().map(({ key }) => key),
    [keys[16]],
  )
  t.end()
})

t.test('a node that answers from elsewhere has moved', (t) => {
  const contacts = new Contacts({ ownIdHash, exemptsLocal: false })
  contacts.record(Buffer.alloc(64, 9), '1.2.3.4', 5050, 0)
  contacts.record(Buffer.alloc(64, 9), '5.6.7.8', 5051, 1)
  t.match(contacts.inTable(), [{ address: '5.6.7.8', port: 5051 }])
  t.same(contacts.at('1.2.3.4', 5050), [])
  t.match(contacts.at('5.6.7.8', 5051), [{ address: '5.6.7.8' }])
  t.same(contacts.at('5.6.7.8', 5050), [])
  t.end()
})

t.test('nodes beside the table are bounded in all and by block', (t) => {
  const contacts = new Contacts({ ownIdHash, exemptsLocal: false })
  for (let index = 0; index < 3_000; index += 1)
    contacts.record(randomBytes(64), `203.0.113.${index % 250}`, 5050, index)
  t.equal(contacts.spares().length, 10)
  for (let index = 0; index < 6_000; index += 1) {
    contacts.record(randomBytes(64), `${1 + (index % 100)}.${index >> 8}.1.1`, 5050, index)
  }
  t.ok(contacts.spares().length <= 512)
  t.ok(contacts.tableSize <= 256 * 16)
  t.end()
})

t.test('who asks for neighbours is told up to 20 of them, else 14 of the nearest and 5 others', (t) => {
  const nodeAt = (index: number) => createKnownNode(randomBytes(64), `198.${index}.1.1`, 5050, 0)
  const nodes = Array.from({ length: 20 }, (_, index) => nodeAt(index))
  const asking = nodes[3] as ReturnType<typeof nodeAt>
  const all = neighborsOf(asking, nodes, () => 0)
  t.equal(all.length, 20)
  t.ok(all[0]?.id.equals(asking.key), 'the nearest is whoever asks')
  const more = [...nodes, nodeAt(21), nodeAt(22)]
  const some = neighborsOf(asking, more, () => 0)
  t.equal(some.length, 19)
  const sorted = [...more].sort(
    (one, other) => distance(one.idHash, asking.idHash) - distance(other.idHash, asking.idHash),
  )
  const near = new Set(sorted.slice(0, 14).map(({ id }) => id))
  t.ok(some.slice(0, 14).every(({ id }) => near.has(id.toString('hex'))))
  t.equal(new Set(some.map(({ id }) => id.toString('hex'))).size, 19)
  t.end()
})

t.test('nobody is told of places that are not his, and nobody tells this node of some', (t) => {
  const nodes = ['127.0.0.1', '192.168.1.1', '198.51.100.1'].map((address) =>
    createKnownNode(randomBytes(64), address, 5050, 0),
  )
  const hosts = (address: string) =>
    neighborsOf(createKnownNode(randomBytes(64), address, 1, 0), nodes, () => 0)
      .map(({ host }) => host)
      .sort()
  t.same(hosts('198.51.100.9'), ['198.51.100.1'])
  t.same(hosts('192.168.1.9'), ['192.168.1.1', '198.51.100.1'])
  t.same(hosts('127.0.0.1'), ['127.0.0.1', '192.168.1.1', '198.51.100.1'])
  const entry = { host: '198.51.100.1', udp: 5050, tcp: 5050, id: randomBytes(64) }
  const wrong = [
    { ...entry, host: '192.168.1.1' },
    { ...entry, host: '224.0.0.1' },
    { ...entry, host: '0.0.0.0' },
    { ...entry, host: 'internal.example' },
    { ...entry, host: '' },
    { ...entry, udp: 0 },
    { ...entry, udp: 65_536 },
    { ...entry, id: randomBytes(63) },
  ]
  t.same(namedNodes([entry, ...wrong], '198.51.100.9'), [
    { id: entry.id.toString('hex'), address: '198.51.100.1', port: 5050 },
  ])
  t.equal(
    namedNodes(
      Array.from({ length: 40 }, () => entry),
      '198.51.100.9',
    ).length,
    19,
  )
  t.end()
})

t.test('scopes', (t) => {
  for (const [address, scope] of [
    ['8.8.8.8', 'public'],
    ['2600::1', 'public'],
    ['10.1.2.3', 'local'],
    ['172.31.0.1', 'local'],
    ['172.32.0.1', 'public'],
    ['169.254.1.1', 'local'],
    ['fe80::1', 'local'],
    ['fd00::1', 'local'],
    ['127.9.9.9', 'loopback'],
    ['::1', 'loopback'],
    ['0.0.0.0', 'none'],
    ['::', 'none'],
    ['255.255.255.255', 'none'],
    ['239.0.0.1', 'none'],
    ['ff02::1', 'none'],
    ['example.com', 'none'],
  ] as const) {
    t.equal(scopeOf(address), scope, address)
  }
  t.notOk(mayName('loopback', 'none'))
  t.end()
})
