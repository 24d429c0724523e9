import { jetstreamManager } from '@nats-io/jetstream'
import t from 'tap'
import { FleetNames } from '../../src/fleet/nats/names.ts'
import { connectFleet } from '../../src/fleet/nats/natsConnection.ts'
import { checkResources, initFleet, readResources } from '../../src/fleet/nats/provision.ts'
import { RESOURCE_PARTS } from '../../src/fleet/nats/resources.ts'
import { readServers, serverProblems } from '../../src/fleet/nats/servers.ts'
import { runCommand } from '../support/cli.ts'
import {
  NATS_SKIP,
  NATS_SYSTEM,
  NATS_USER,
  startNatsCluster,
  startNatsServer,
} from '../support/natsServer.ts'
import { testFolder } from '../support/testFolder.ts'
import { connectionTo } from './support/connections.ts'

const DEFAULTS = { replicas: null, bytes: {} }

t.test('streams of a fleet', { skip: NATS_SKIP }, async (t) => {
  const cluster = await startNatsCluster(3, { folder: testFolder(t) })
  t.teardown(() => cluster.kill())
  const { nats, ...connection } = await connectFleet(connectionTo(cluster.urls)).then((made) => ({
    nats: made.nats,
    close: () => made.close(),
  }))
  t.teardown(() => connection.close())
  const manager = await jetstreamManager(nats)

  await t.test('init creates all of them, with three replicas, and nothing a second time', async (t) => {
    const names = new FleetNames('twice')
    await t.rejects(checkResources(nats, names), { code: 'NotCreated', message: 'fleet init' })
    const first = await initFleet(nats, names, DEFAULTS)
    t.equal(first.created.length, RESOURCE_PARTS.length)
    t.strictSame(first.differences, [])
    const second = await initFleet(nats, names, DEFAULTS)
    t.strictSame(second.created, [])
    t.strictSame(second.differences, [])
    await checkResources(nats, names)
    for (const { info } of await readResources(nats, names)) {
      t.match(
        info?.config,
        { num_replicas: 3, storage: 'file', allow_direct: false },
        info?.config.name ?? '',
      )
    }
  })

  await t.test('what differs is reported and not changed', async (t) => {
    const names = new FleetNames('differs')
    await initFleet(nats, names, { replicas: 3, bytes: { log: 4_000_000 } })
    const again = await initFleet(nats, names, { replicas: 3, bytes: { log: 5_000_000 } })
    const difference = { stream: 'differs-log', property: 'max_bytes', expected: '5000000', found: '4000000' }
    t.strictSame(again.differences, [difference])
    // What the first one decided counts.
    await checkResources(nats, names)
    await manager.streams.update('KV_differs-members', { num_replicas: 1, allow_direct: true })
    await t.rejects(checkResources(nats, names), { code: 'Differs', message: 'num_replicas 1 in place of 3' })
    await t.rejects(checkResources(nats, names), { code: 'Differs', message: 'allow_direct true' })
    await manager.streams.delete('differs-work')
    await t.rejects(checkResources(nats, names), { code: 'Differs', message: 'differs-work is missing' })
    const repaired = await initFleet(nats, names, { replicas: 3, bytes: { log: 4_000_000 } })
    t.strictSame(repaired.created, ['differs-work'])
    t.strictSame(
      repaired.differences.map(({ property }) => property),
      ['num_replicas', 'allow_direct'],
    )
  })

  await t.test('more room than the servers have is refused with what to do', async (t) => {
    const bytes = { snapshots: 9_000_000_000_000_000 }
    const tooLarge = initFleet(nats, new FleetNames('large'), { replicas: null, bytes })
    await t.rejects(tooLarge, { message: 'max_file_store' })
  })

  await t.test('servers tell the system account whether they write first', async (t) => {
    const servers = await readServers(connectionTo(cluster.urls), NATS_SYSTEM)
    t.strictSame(
      servers.map(({ name, syncsAlways }) => [name, syncsAlways]),
      [1, 2, 3].map((number) => [`nats-${number}`, true]),
    )
    t.strictSame(serverProblems(servers), [])
    const stranger = `${NATS_USER.user}:${NATS_USER.password}`
    await t.rejects(readServers(connectionTo(cluster.urls), stranger), {
      code: 'NotAuthorized',
      message: '--fleet-system',
    })
  })

  await t.test('the commands', async (t) => {
    const fleet = ['--fleet', cluster.urls.join(), '--fleet-name', 'commands']
    const args = [...fleet, '--fleet-user', NATS_USER.user, '--fleet-password', NATS_USER.password]
    const before = await runCommand(['fleet', 'status', ...args])
    t.equal(before.code, 1)
    t.match(before.stderr, 'run `rhizome fleet init` once')
    const made = await runCommand(['fleet', 'init', ...args])
    t.equal(made.code, 0, made.stderr)
    t.match(made.stdout, 'created commands-log')
    const status = await runCommand(['fleet', 'status', '--json', '--fleet-system', NATS_SYSTEM, ...args])
    t.equal(status.code, 0, status.stderr)
    const report = JSON.parse(status.stdout)
    t.equal(report.streams.length, RESOURCE_PARTS.length)
    t.match(report, { fleet: 'commands', members: [], problems: [], servers: [{ syncsAlways: true }] })
    const text = await runCommand(['fleet', 'status', ...args])
    t.match(text.stdout, 'not verified')
    const drain = await runCommand(['fleet', 'drain', 'nobody', ...args])
    t.equal(drain.code, 1)
    t.match(drain.stderr, 'no member nobody')
  })
})

t.test('a server that acknowledges before it writes is named', { skip: NATS_SKIP }, async (t) => {
  const cluster = await startNatsServer({ folder: testFolder(t), syncAlways: false })
  t.teardown(() => cluster.kill())
  const servers = await readServers(connectionTo(cluster.urls), NATS_SYSTEM)
  t.match(serverProblems(servers), [/^nats-1 acknowledges before it writes.*sync_interval: always/])
  const connection = await connectFleet(connectionTo(cluster.urls))
  const { format } = await initFleet(connection.nats, new FleetNames('alone'), DEFAULTS)
  t.equal(format.replicas, 1)
  await connection.close()
})
