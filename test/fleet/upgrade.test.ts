import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import t from 'tap'
import { AccessStore } from '../../src/storage/access/accessStore.ts'
import { encodeKey, type KeyRecord } from '../../src/storage/access/keyRecord.ts'
import type { DayUsage } from '../../src/storage/access/usageRecord.ts'
import { startCommand } from '../support/cli.ts'
import { type OldStore, oldDelta, writeOldStore } from '../support/fleet/oldStore.ts'
import { keyRecord } from '../support/keyRecords.ts'
import { NATS_SKIP, NATS_USER } from '../support/natsServer.ts'
import { builtProgram } from '../support/testBuild.ts'
import type { MemberProcess } from './cluster/memberProcess.ts'
import { FLEET_NAME, TestFleet } from './cluster/testFleet.ts'
import { until } from './cluster/until.ts'

const TODAY = Math.floor(Date.now() / 86_400_000)
const ada = 'aaaaaaaaaaaaaaaa'
const bob = 'bbbbbbbbbbbbbbbb'
const epochs = { ada: '1111111111111111', bob: '2222222222222222' }

function usage(count: number, day = TODAY): DayUsage {
  return {
    id: 'k',
    day,
    methods: new Map([['eth_call', { count, cost: 5 * count, bytes: 9, errors: 0, refused: 0 }]]),
  }
}

async function statusAt({ origin }: MemberProcess, id: string): Promise<number> {
  const response = await fetch(`${origin}/${id}-secret/usage`)
  await response.arrayBuffer()
  return response.status
}

async function requestsAt({ origin }: MemberProcess): Promise<readonly number[]> {
  const report = (await (await fetch(`${origin}/k-secret/usage`)).json()) as {
    readonly days: readonly { readonly requests: number }[]
  }
  return report.days.map(({ requests }) => requests)
}

t.test(
  'keys and usage of the fleet before are those of this one',
  { skip: NATS_SKIP, timeout: 900_000 },
  async (t) => {
    const program = process.env['TEST_PROGRAM'] ?? (await builtProgram(t))
    const folder = t.testdir()
    const args = ['--block-time', '1']
    const fleet = await TestFleet.start({ folder, members: 2, started: 0, servers: 1, program, args })
    t.teardown(() => fleet.close())
    const { members, servers } = fleet
    const [first, second] = members as [MemberProcess, MemberProcess]
    fleet.askWith('run-secret')

    t.comment('NATS as the fleet before left it')
    const user = { user: NATS_USER.user, pass: NATS_USER.password }
    const nats = await connect({ servers: [...(servers?.urls ?? [])], ...user })
    const manager = await jetstreamManager(nats)
    for (const name of ['apikeys', 'counters']) await manager.streams.delete(`KV_${FLEET_NAME}-${name}`)
    const bucket = await new Kvm(nats).create(`${FLEET_NAME}-keys`, { history: 1 })
    const put = (key: KeyRecord, name = key.id) =>
      bucket.put(name, JSON.stringify({ format: 1, key: JSON.parse(encodeKey(key).toString()) as unknown }))
    for (const id of ['run', 'k']) await put(keyRecord(id))
    await put(keyRecord('off', { disabled: true }))
    await put(keyRecord('a@b.c'), `=${Buffer.from('a@b.c').toString('base64url')}`)
    const { created } = (await manager.streams.add({
      name: `${FLEET_NAME}-usage`,
      subjects: [`${FLEET_NAME}.usage.*`],
    })) as { created: string }
    const publish = (member: string, epoch: string, sequence: number, rows: readonly DayUsage[]) =>
      jetstream(nats).publish(`${FLEET_NAME}.usage.${member}`, oldDelta(member, epoch, sequence, rows))
    // ada 1 and 2, bob 1: each once, and one of them twice.
    await publish(ada, epochs.ada, 1, [usage(10), usage(3, TODAY - 1)])
    await publish(bob, epochs.bob, 1, [usage(20)])
    await publish(ada, epochs.ada, 2, [usage(30)])
    await publish(ada, epochs.ada, 2, [usage(30)])
    await nats.close()

    const common = { fleet: FLEET_NAME, stream: created, keys: [keyRecord('run'), keyRecord('k')] }
    const stores: readonly OldStore[] = [
      // Knows its first delta; the second is in the stream, and 4 are not told.
      {
        ...common,
        member: ada,
        epoch: epochs.ada,
        position: 1,
        sealed: 2,
        sum: [usage(10), usage(3, TODAY - 1), usage(7, TODAY - 100)],
        own: [usage(34)],
        applied: { [ada + epochs.ada]: 1 },
      },
      // Knows all but the last one; 5 are not told.
      {
        ...common,
        member: bob,
        epoch: epochs.bob,
        position: 2,
        sealed: 1,
        sum: [usage(30), usage(3, TODAY - 1), usage(7, TODAY - 100)],
        own: [usage(5)],
        applied: { [ada + epochs.ada]: 1, [bob + epochs.bob]: 1 },
      },
    ]
    for (const [number, store] of stores.entries()) await writeOldStore(members[number]?.dataDir ?? '', store)

    t.comment('a member that was not upgraded says what to do')
    await t.rejects(first.start(), /run `rhizome fleet upgrade`/)

    t.comment('one after the other')
    const upgrade = async (member: MemberProcess, pattern: RegExp) => {
      const { code, stdout, stderr } = await fleet.run(['fleet', 'upgrade'], member)
      t.equal(code, 0, stderr)
      t.match(stdout, pattern)
    }
    await upgrade(
      first,
      /created test-apikeys\ncreated test-counters\nkeys brought over: 4\n.*: 2\nusage brought over: 4 rows/,
    )
    await first.start()
    await until('keys', async () => (await statusAt(first, 'k')) === 200)
    await until('keys of the bucket', async () => (await statusAt(first, 'a@b.c')) === 200)
    t.equal(await statusAt(first, 'off'), 401)
    t.same(await requestsAt(first), [3, 60 + 4], 'without what only the other one knows')
    await upgrade(second, /keys brought over: 0\n.*: 1\nusage brought over/)
    await upgrade(second, /has no usage of such a fleet/)
    await second.start()
    await until('sums are equal', async () =>
      (await Promise.all(members.map(requestsAt))).every(
        ([before, today]) => before === 3 && today === 60 + 4 + 5,
      ),
    )
    for (const member of members) await member.end('SIGTERM')
    for (const { dataDir } of members) {
      const store = AccessStore.open({ dataDir, fleet: true })
      const old = store.usage('k', TODAY - 100, TODAY - 100)[0]?.methods.get('eth_call')?.count
      t.equal(old, 7, 'older days are there, too')
      await store.close()
    }

    t.comment('a store whose bucket of keys is gone brings those that it knows')
    const alone = join(folder, 'alone')
    await writeOldStore(alone, { ...(stores[0] as OldStore), keys: [keyRecord('known')] })
    const run = () => startCommand(['fleet', 'upgrade', '--data-dir', alone], [], [program]).done
    t.match((await run()).stdout, /usage brought over: 4 rows/)
    const store = AccessStore.open({ dataDir: alone })
    t.equal(store.usage('k', TODAY, TODAY)[0]?.methods.get('eth_call')?.count, 10 + 34)
    t.match(store.fleetKeys(), [{ key: { id: 'known' }, isRemoved: false }])
    await store.close()
  },
)
