import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import t from 'tap'
import { KeyBucket } from '../../src/fleet/access/keyBucket.ts'
import { FleetNames } from '../../src/fleet/nats/names.ts'
import { connectFleet } from '../../src/fleet/nats/natsConnection.ts'
import { changesKey, createsKey } from '../../src/storage/access/fleetKey.ts'
import { keyRecord } from '../support/keyRecords.ts'
import { NATS_SKIP, NATS_USER } from '../support/natsServer.ts'
import { builtProgram } from '../support/testBuild.ts'
import type { MemberProcess } from './cluster/memberProcess.ts'
import { FLEET_NAME, TestFleet } from './cluster/testFleet.ts'
import { until } from './cluster/until.ts'
import { connectionTo } from './support/connections.ts'
import { statusAt } from './support/statusAt.ts'

t.test(
  'keys are those of the fleet, with NATS and without',
  { skip: NATS_SKIP, timeout: 900_000 },
  async (t) => {
    const program = process.env['TEST_PROGRAM'] ?? (await builtProgram(t))
    const fleet = await TestFleet.start({
      folder: t.testdir(),
      members: 3,
      servers: 3,
      program,
      args: ['--block-time', '1'],
    })
    t.teardown(() => fleet.close())
    const { members, servers } = fleet
    const [first, second, third] = members as [MemberProcess, MemberProcess, MemberProcess]
    const at = (secret: string, statuses: readonly number[]) =>
      until(`${statuses}`, async () => {
        const all = await Promise.all(members.map((member) => statusAt(member, secret)))
        return all.join() === statuses.join()
      })
    const create = (id: string) => fleet.makeKey(id)
    const change = async (words: readonly string[], member?: MemberProcess) => {
      const { code, stderr } = await fleet.run(words, member)
      t.equal(code, 0, `${words.join(' ')} ${stderr}`)
    }

    t.same(await Promise.all(members.map((member) => statusAt(member, ''))), [200, 200, 200], 'no keys: open')
    await create('run')
    const secret = await create('ada')
    await at(secret, [200, 200, 200])
    await at('', [401, 401, 401])
    t.match((await fleet.run(['key', 'create', '--id', 'ada'])).stderr, /there is a key ada already/)
    await change(['key', 'disable', 'ada'])
    await at(secret, [401, 401, 401])
    await change(['key', 'enable', 'ada'])
    await at(secret, [200, 200, 200])
    const rotated = (await fleet.command(['key', 'rotate', 'ada'])).trim()
    await at(rotated, [200, 200, 200])
    await at(secret, [401, 401, 401])
    t.match(await fleet.command(['key', 'list']), /ada/)

    t.comment('removed is removed, and no member is open by that')
    const gone = await create('gone')
    await at(gone, [200, 200, 200])
    await change(['key', 'remove', 'gone'])
    await at(gone, [401, 401, 401])
    t.notMatch(await fleet.command(['key', 'list']), /gone/)
    t.match((await fleet.run(['key', 'enable', 'gone'])).stderr, /there is no key gone/)

    t.comment('--local with NATS counts at once, and is offered')
    const kept = await create('kept')
    await at(kept, [200, 200, 200])
    await change(['key', 'disable', '--local', 'kept'], second)
    await at(kept, [401, 401, 401])
    await change(['key', 'enable', 'kept'])
    await at(kept, [200, 200, 200])

    t.comment('without NATS: as last known, and a command says that it cannot')
    await servers?.kill()
    t.same(await Promise.all(members.map((member) => statusAt(member, kept))), [200, 200, 200])
    const failed = await fleet.run(['key', 'disable', 'kept'])
    t.not(failed.code, 0)
    t.match(failed.stderr, /NATS cannot be reached.*--local on the machine of a member/s)
    t.same(
      await Promise.all(members.map((member) => statusAt(member, kept))),
      [200, 200, 200],
      'nothing changed',
    )
    await change(['key', 'disable', '--local', 'kept'], first)
    await at(kept, [401, 200, 200])
    t.match((await fleet.run(['key', 'list', '--local'], first)).stdout, /kept +disabled/)
    t.match((await fleet.run(['key', 'list', '--local'], third)).stdout, /kept +enabled/)

    t.comment('a second change of the same key at another member, later, and one that was made more often')
    await change(['key', 'set', '--local', '--beyond-head', 'refuse', 'ada'], second)
    await sleep(5)
    await change(['key', 'disable', '--local', 'ada'], third)
    await at(rotated, [200, 200, 401])
    await change(['key', 'enable', '--local', 'kept'], third)
    await change(['key', 'disable', '--local', 'kept'], third)
    await change(['key', 'enable', '--local', 'kept'], third)
    const made = (await fleet.run(['key', 'create', '--local', '--id', 'alone'], second)).stdout.trim()
    await at(made, [401, 200, 401])

    t.comment('NATS is back: what was changed is offered, and all agree')
    await servers?.start()
    await at(made, [200, 200, 200])
    await at(rotated, [401, 401, 401])
    await at(kept, [200, 200, 200])
    t.match(await fleet.command(['key', 'list']), /ada +disabled/)

    t.comment('a member that was away has what changed meanwhile; a bucket that is lost has the keys again')
    await third.end('SIGTERM')
    await change(['key', 'disable', 'kept'])
    await third.start()
    await third.untilReady(60_000)
    await at(kept, [401, 401, 401])
    const nats = await connect({
      servers: [...(servers?.urls ?? [])],
      user: NATS_USER.user,
      pass: NATS_USER.password,
    })
    await (await jetstreamManager(nats)).streams.delete(`KV_${FLEET_NAME}-apikeys`)
    await nats.close()
    t.match(await fleet.command(['fleet', 'init']), /created test-apikeys/)
    await until('keys are there', async () => /alone +enabled/.test(await fleet.command(['key', 'list'])))
    t.match(await fleet.command(['key', 'list']), /kept +disabled/)

    t.comment('how long a revoked key is served after the bucket has the change: measured and not judged')
    const connection = await connectFleet(connectionTo(servers?.urls ?? []))
    t.teardown(() => connection.close())
    const keys = await KeyBucket.open(connection.nats, new FleetNames(FLEET_NAME))
    const late: number[] = []
    for (let round = 0; round < Number(process.env['REVOCATIONS'] ?? 10); round += 1) {
      const id = `r${round}`
      await keys.change(id, createsKey(keyRecord(id), 'ffffffffffffffff'))
      await at(`${id}-secret`, [200, 200, 200])
      let isDone = false
      const refusals = members.map(async (member) => {
        for (;;) {
          const asked = performance.now()
          if ((await statusAt(member, `${id}-secret`)) === 401) return asked
          if (!isDone) await sleep(1)
        }
      })
      await keys.change(
        id,
        changesKey(id, (key) => ({ ...key, disabled: true }), 'ffffffffffffffff'),
      )
      const ended = performance.now()
      isDone = true
      for (const refused of await Promise.all(refusals)) late.push(refused - ended)
    }
    late.sort((one, other) => one - other)
    const quantile = (part: number) => late[Math.min(late.length - 1, Math.floor(part * late.length))] ?? 0
    t.comment(
      `revocations: ${late.length}; ms from the end of the write to the first request that is refused: ` +
        `p50 ${quantile(0.5).toFixed(1)}, p99 ${quantile(0.99).toFixed(1)}, longest ${quantile(1).toFixed(1)}`,
    )
  },
)
