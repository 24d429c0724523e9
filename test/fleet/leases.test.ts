import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { Leases } from '../../src/fleet/lease/leases.ts'
import { claimNumber, memberOfNumber } from '../../src/fleet/memberNumbers.ts'
import { FleetNames } from '../../src/fleet/nats/names.ts'
import { connectFleet, type FleetConnection } from '../../src/fleet/nats/natsConnection.ts'
import { initFleet, openBucket } from '../../src/fleet/nats/provision.ts'
import { bootClock } from '../../src/native/bootClock.ts'
import { NATS_SKIP, startNatsCluster } from '../support/natsServer.ts'
import { LOADER } from '../support/sources.ts'
import { testFolder } from '../support/testFolder.ts'
import { connectionTo, until } from './support/connections.ts'

const LEASE = 600
const ONE = '1111111111111111'
const TWO = '2222222222222222'

interface Printed {
  readonly kind: string
  /** Milliseconds of the boot clock. */
  readonly at: number
  readonly epoch?: number
  readonly leads?: boolean
}

/** A process of `leaseHolder.ts` and what it printed. */
class Holder {
  readonly events: Printed[] = []
  readonly process: ChildProcess
  #rest = ''

  constructor(t: Test, servers: readonly string[], fleet: string, id: string) {
    const program = fileURLToPath(new URL('./support/leaseHolder.ts', import.meta.url))
    const loader = ['--import', LOADER]
    const args = [...loader, program, servers.join(), fleet, id, String(LEASE)]
    this.process = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n')
      this.#rest = lines.pop() ?? ''
      this.events.push(...lines.map((line) => JSON.parse(line) as Printed))
    })
    t.teardown(() => this.end('SIGKILL'))
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const { exitCode, signalCode } = this.process
    if (exitCode !== null || signalCode !== null) return
    const ended = once(this.process, 'exit')
    this.process.kill('SIGCONT')
    this.process.kill(signal)
    await ended
  }

  newest(kind: string): Printed | undefined {
    return this.events.findLast((event) => event.kind === kind)
  }

  acted(since: number): boolean {
    return (this.newest('acts')?.at ?? 0) > since
  }
}

t.test('leases', { skip: NATS_SKIP }, async (t) => {
  const cluster = await startNatsCluster(3, { folder: testFolder(t) })
  t.teardown(() => cluster.kill())
  const connection: FleetConnection = await connectFleet(connectionTo(cluster.urls))
  t.teardown(() => connection.close())

  async function fleetOf(t: Test, fleet: string): Promise<{ names: FleetNames; leases: Leases }> {
    const names = new FleetNames(fleet)
    await initFleet(connection.nats, names, {
      replicas: 3,
      bytes: { snapshots: 2_000_000, blocks: 2_000_000 },
    })
    const bucket = await openBucket(connection.nats, names.members)
    const leases = new Leases({
      bucket,
      lease: LEASE,
      clock: bootClock,
      onChange: () => undefined,
      onError: () => undefined,
      onMalformed: (id) => t.fail(`the record of ${id} does not parse`),
    })
    t.teardown(() => leases.stop())
    return { names, leases }
  }

  await t.test('a holder that stands still has stopped before its lease is ended', async (t) => {
    const { leases } = await fleetOf(t, 'still')
    const holder = new Holder(t, cluster.urls, 'still', ONE)
    for (let round = 0; round < 2; round += 1) {
      const began = bootClock()
      await until('it acts', () => holder.acted(began) && leases.holds(ONE))
      t.notOk(await leases.end(ONE), 'a lease that holds is not ended')
      holder.process.kill('SIGSTOP')
      await until('it is silent', () => !leases.holds(ONE))
      // A server that is slow to write lets the attempt fail: it is made again, as the leader does.
      await until('it is ended', () => leases.end(ONE).catch(() => false))
      const ended = bootClock()
      holder.process.kill('SIGCONT')
      await until('it is told', () => (holder.newest('fenced')?.at ?? 0) > ended)
      const told = holder.newest('fenced')?.at ?? 0
      const late = holder.events.filter(({ kind, at }) => kind === 'acts' && at > ended && at < told)
      t.strictSame(late, [], 'nothing was done with a lease that was ended')
    }
  })

  await t.test('a holder that leaves is over at once', async (t) => {
    const { leases } = await fleetOf(t, 'leaves')
    const holder = new Holder(t, cluster.urls, 'leaves', ONE)
    await until('it holds', () => leases.holds(ONE))
    await holder.end('SIGTERM')
    await until('it is over', () => !leases.holds(ONE))
    t.ok(leases.get(ONE)?.isEnded)
  })

  await t.test('two processes with one id: the earlier one gives up', async (t) => {
    const { leases } = await fleetOf(t, 'double')
    const first = new Holder(t, cluster.urls, 'double', ONE)
    await until('the first holds', () => leases.holds(ONE) && first.newest('held') !== undefined)
    const second = new Holder(t, cluster.urls, 'double', ONE)
    await until('the first gives up', () => first.newest('duplicate') !== undefined)
    const at = first.newest('duplicate')?.at ?? 0
    await until('the second goes on', () => second.acted(at + 2 * LEASE))
    t.notOk(first.acted(at))
  })

  await t.test('one leads at a time, and each change of hands has a higher epoch', async (t) => {
    await fleetOf(t, 'leader')
    const holders = [ONE, TWO].map((id) => new Holder(t, cluster.urls, 'leader', id))
    const leads = (holder: Holder) => holder.newest('acts')?.leads === true
    let epoch = 0
    for (let round = 0; round < 2; round += 1) {
      await until('one leads', () => holders.some((holder) => leads(holder)))
      const leader = holders.find((holder) => leads(holder)) as Holder
      const other = holders.find((holder) => holder !== leader) as Holder
      const began = bootClock()
      leader.process.kill('SIGSTOP')
      await until('the other takes over', () => (other.newest('taken')?.at ?? 0) > began)
      const taken = other.newest('taken') as Printed
      t.ok((taken.epoch ?? 0) > epoch, `epoch ${taken.epoch}`)
      epoch = taken.epoch ?? 0
      leader.process.kill('SIGCONT')
      await until('it acts again', () => leader.acted(taken.at + 100))
    }
    assertOneLeader(t, holders)
    await Promise.all(holders.map((holder) => holder.end('SIGTERM')))
  })

  await t.test('a leader that resigns is followed by another one, and goes on as a member', async (t) => {
    await fleetOf(t, 'resigns')
    const leader = new Holder(t, cluster.urls, 'resigns', ONE)
    await until('the first leads', () => leader.newest('acts')?.leads === true)
    const other = new Holder(t, cluster.urls, 'resigns', TWO)
    await until('the other acts', () => other.acted(0))
    leader.process.kill('SIGUSR2')
    await until('the other leads', () => other.newest('taken') !== undefined)
    const taken = other.newest('taken') as Printed
    t.ok((taken.epoch ?? 0) > (leader.newest('taken')?.epoch ?? 0))
    await until('the first acts for longer than a lease', () => leader.acted(taken.at + 2 * LEASE))
    t.equal(leader.newest('acts')?.epoch, taken.epoch, 'it sees who leads now')
    t.equal(leader.newest('over'), undefined, 'its own lease was held all the time')
    assertOneLeader(t, [leader, other])
  })

  await t.test('all servers are killed and come back', async (t) => {
    const { leases } = await fleetOf(t, 'killed')
    const holders = [ONE, TWO].map((id) => new Holder(t, cluster.urls, 'killed', id))
    await until(
      'both hold and one leads',
      () =>
        holders.every((holder) => holder.newest('held')) && holders.some((holder) => holder.newest('taken')),
    )
    const epoch = Math.max(...holders.map((holder) => holder.newest('taken')?.epoch ?? 0))
    await cluster.kill()
    await until('both leases are over', () => holders.every((holder) => holder.newest('over')))
    const over = Math.max(...holders.map((holder) => holder.newest('over')?.at ?? 0))
    t.notOk(holders.some((holder) => holder.acted(over)))
    await cluster.start()
    await until('both hold again', () => holders.every((holder) => holder.acted(over)))
    await until('one leads in a later epoch', () =>
      holders.some((holder) => (holder.newest('taken')?.epoch ?? 0) > epoch),
    )
    await until('both are seen', () => leases.holds(ONE) && leases.holds(TWO))
    assertOneLeader(t, holders)
    await Promise.all(holders.map((holder) => holder.end('SIGTERM')))
  })

  await t.test('numbers are claimed once and kept', async (t) => {
    const { names } = await fleetOf(t, 'numbers')
    const bucket = await openBucket(connection.nats, names.state)
    const ids = Array.from({ length: 8 }, (_, index) => String(index).repeat(16))
    const numbers = await Promise.all(ids.map((id) => claimNumber(bucket, id, null)))
    t.strictSame([...numbers].sort(), [1, 2, 3, 4, 5, 6, 7, 8])
    t.equal(await claimNumber(bucket, ids[3] as string, numbers[3] as number), numbers[3])
    t.equal(await claimNumber(bucket, ONE.replace('1', 'a'), numbers[3] as number), 9)
    t.equal(await memberOfNumber(bucket, numbers[5] as number), ids[5])
    t.equal(await memberOfNumber(bucket, 77), null)
  })
})

/** No two processes led at overlapping times: whoever acts as a leader does so before the next one takes over. */
function assertOneLeader(t: Test, holders: readonly Holder[]): void {
  const acts = holders
    .flatMap((holder, index) => holder.events.map((event) => ({ ...event, index })))
    .filter(({ kind, leads }) => kind === 'acts' && leads === true)
    .sort((one, other) => one.at - other.at)
  const wrong = acts.filter((act, at) => (act.epoch ?? 0) < (acts[at - 1]?.epoch ?? 0))
  t.strictSame(wrong, [], 'epochs do not go back in time')
  const byEpoch = new Map<number, Set<number>>()
  for (const { epoch = 0, index } of acts) byEpoch.set(epoch, (byEpoch.get(epoch) ?? new Set()).add(index))
  t.ok(
    [...byEpoch.values()].every((leaders) => leaders.size === 1),
    'an epoch has one leader',
  )
}
