import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { createLogger } from '../../../../src/observe/logger.ts'
import { ADDRESS_BOOK, AddressBook } from '../../../../src/p2p/discovery/addressBook.ts'
import { findBootstrapNodes } from '../../../../src/p2p/discovery/bootstrapNodes.ts'
import { openUdp } from '../../../../src/p2p/discovery/datagrams.ts'
import { DiscoveryProtocol } from '../../../../src/p2p/discovery/discoveryProtocol.ts'
import { testFolder } from '../../../support/testFolder.ts'
import { keyOf, NETWORK_ID, SILENT } from './scene.ts'

const nodeAt = (index: number) => ({
  id: randomBytes(64).toString('hex'),
  address: `${1 + (index >> 8)}.${index & 255}.1.1`,
  port: 5050,
})

function logged() {
  const output = new PassThrough()
  const logger = createLogger({ level: 'warn', format: 'json', output })
  return { logger, text: () => String(output.read() ?? '') }
}

t.test('what is written is read, by this network alone, and others may not read it', async (t) => {
  const folder = testFolder(t)
  const nodes = [nodeAt(1), nodeAt(2), { ...nodeAt(3), address: '2001:db8::1' }]
  await new AddressBook(folder, 775, SILENT).write(nodes)
  t.same(await new AddressBook(folder, 775, SILENT).read(), nodes)
  t.same(await new AddressBook(folder, 8100, SILENT).read(), [])
  const path = join(folder, ADDRESS_BOOK)
  t.equal(statSync(path).mode & 0o777, 0o600)
  t.notOk(existsSync(`${path}.tmp`))
  t.match(JSON.parse(readFileSync(path, 'utf8')), { format: 1, program: /^\d/, network: 775 })
  t.same(await new AddressBook(testFolder(t), 775, SILENT).read(), [], 'no file is no fault')
})

t.test('it holds 1,024 nodes at most', async (t) => {
  const folder = testFolder(t)
  const book = new AddressBook(folder, 775, SILENT)
  await book.write(Array.from({ length: 3_000 }, (_, index) => nodeAt(index)))
  t.equal((await book.read()).length, 1_024)
})

t.test('a damaged file is set aside with a warning', async (t) => {
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    '{"format":1}',
    '{"format":2,"nodes":[],"network":775}',
    'x'.repeat(600_000),
  ]) {
    const folder = testFolder(t)
    const path = join(folder, ADDRESS_BOOK)
    writeFileSync(path, text)
    const { logger, text: warnings } = logged()
    const book = new AddressBook(folder, 775, logger)
    t.same(await book.read(), [], text.slice(0, 20))
    t.match(warnings(), /set aside/)
    t.notOk(existsSync(path))
    t.equal(readFileSync(`${path}.broken`, 'utf8'), text)
    await book.write([nodeAt(1)])
    t.equal((await book.read()).length, 1)
  }
})

t.test('of a file whose nodes are wrong the right ones are read', async (t) => {
  const folder = testFolder(t)
  const right = nodeAt(1)
  const wrong = [
    null,
    7,
    {},
    { ...right, id: 'ab' },
    { ...right, address: 'example.com' },
    { ...right, address: '0.0.0.0' },
    { ...right, port: 0 },
    { ...right, port: '5050' },
    { ...right, port: 70_000 },
  ]
  writeFileSync(
    join(folder, ADDRESS_BOOK),
    JSON.stringify({ format: 1, network: 775, nodes: [...wrong, right] }),
  )
  t.same(await new AddressBook(folder, 775, SILENT).read(), [right])
})

t.test('a file that cannot be written is a warning', async (t) => {
  const folder = join(testFolder(t), 'gone')
  const { logger, text } = logged()
  await new AddressBook(folder, 775, logger).write([nodeAt(1)])
  t.match(text(), /were not saved/)
  mkdirSync(folder)
})

t.test('names of bootstrap nodes: some addresses of each, a warning where none resolves', async (t) => {
  const { logger, text } = logged()
  const resolve = async (host: string) => {
    if (host === 'gone.example') throw new Error('ENOTFOUND')
    return Array.from({ length: 9 }, (_, index) => `198.51.100.${index}`)
  }
  const known = { host: 'known.example', port: 5050 }
  const gone = { host: 'gone.example', port: 5050 }
  const found = await findBootstrapNodes([known, gone], resolve, logger)
  t.equal(found.length, 4)
  t.match(found[0], { address: '198.51.100.0', port: 5050 })
  t.equal(text(), '')
  t.same(await findBootstrapNodes([gone, gone], resolve, logger), [])
  t.match(text(), /no bootstrap node has an address/)
})

t.test('two nodes meet over UDP of this machine, by IPv4 and over a socket of IPv6', async (t) => {
  for (const [host, address] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::', '127.0.0.1'],
  ] as const) {
    const open = async (name: string) => {
      let protocol: DiscoveryProtocol | null = null
      let tell = (): void => undefined
      const met = new Promise<void>((resolve) => {
        tell = resolve
      })
      const transport = await openUdp(host, 0, SILENT, (bytes, from, port) => {
        protocol?.receive(bytes, from, port)
        if (protocol?.knowsNobody === false) tell()
      })
      protocol = new DiscoveryProtocol({
        key: keyOf(name),
        networkId: NETWORK_ID,
        host: '127.0.0.1',
        port: transport.port,
        exemptsLocal: true,
        clock: () => performance.now(),
        random: () => 0,
        uuid: randomUUID,
        send: (bytes, port, to) => transport.send(bytes, port, to),
        refusesAddress: () => false,
        refusesNode: () => false,
      })
      return { transport, protocol, met }
    }
    const one = await open('one')
    const other = await open('other')
    one.protocol.ping(address, other.transport.port, null)
    await Promise.all([one.met, other.met])
    t.match(one.protocol.nodes(), [
      { id: keyOf('other').id.toString('hex'), address, port: other.transport.port },
    ])
    t.match(other.protocol.nodes(), [
      { id: keyOf('one').id.toString('hex'), address, port: one.transport.port },
    ])
    await Promise.all([one.transport.close(), other.transport.close()])
  }
})
