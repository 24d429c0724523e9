import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { NATS_SKIP } from '../support/natsServer.ts'
import { askNode } from '../support/nodeProcess.ts'
import { builtProgram } from '../support/testBuild.ts'
import type { MemberProcess } from './cluster/memberProcess.ts'
import { TestFleet } from './cluster/testFleet.ts'
import { until } from './cluster/until.ts'
import { statusAt } from './support/statusAt.ts'

const READY_MS = 60_000

interface Report {
  readonly today: { readonly requests: number; readonly cost: number; readonly refused: number }
}

async function reportAt({ origin }: MemberProcess, secret: string): Promise<Report> {
  const response = await fetch(`${origin}/${secret}/usage`)
  return (await response.json()) as Report
}

async function statusOf({ url }: MemberProcess): Promise<{ readonly present: boolean }> {
  return askNode(url, 'rsk_getFleetStatus', [])
}

t.test('use is counted for all members', { skip: NATS_SKIP, timeout: 900_000 }, async (t) => {
  const program = process.env['TEST_PROGRAM'] ?? (await builtProgram(t))
  const folder = t.testdir()
  const args = ['--block-time', '1']
  const fleet = await TestFleet.start({ folder, members: 3, servers: 3, program, args })
  t.teardown(() => fleet.close())
  const { members, servers } = fleet
  const [first, second, third] = members as [MemberProcess, MemberProcess, MemberProcess]
  await fleet.makeKey('run')
  const secret = await fleet.makeKey('ada')
  await until('the key is known', async () =>
    (await Promise.all(members.map((member) => reportAt(member, secret)))).every(
      ({ today }) => today !== null,
    ),
  )
  /** Requests that clients were answered. */
  let answered = 0
  const use = async (member: MemberProcess, times: number) => {
    for (let time = 0; time < times; time += 1) if ((await statusAt(member, secret)) === 200) answered += 1
  }
  const requestsAt = async (member: MemberProcess) => (await reportAt(member, secret)).today.requests
  const areEqual = async (what: string, asked: readonly MemberProcess[] = members) => {
    let seen: readonly number[] = []
    const agree = async () => {
      seen = await Promise.all(asked.map(requestsAt))
      return seen.every((requests) => requests === answered)
    }
    await until(what, agree).catch(() => undefined)
    t.same(
      seen,
      asked.map(() => answered),
      what,
    )
  }
  const restart = async (member: MemberProcess) => {
    await member.start()
    await member.untilReady(READY_MS)
  }
  const everybody = async (times: number) => {
    for (const member of members) await use(member, times)
  }

  await everybody(20)
  await areEqual('sums are equal')

  t.comment('without NATS each counts, also over a restart; then sums are equal')
  await servers?.kill()
  await everybody(5)
  await second.end('SIGTERM')
  await restart(second)
  await everybody(5)
  await servers?.start()
  await areEqual('NATS is back')

  t.comment('an older copy of a store is put back')
  const copy = join(folder, 'older')
  await third.end('SIGTERM')
  cpSync(join(third.dataDir, 'access'), copy, { recursive: true })
  await restart(third)
  await everybody(15)
  await areEqual('before')
  await third.end('SIGTERM')
  rmSync(join(third.dataDir, 'access'), { recursive: true })
  cpSync(copy, join(third.dataDir, 'access'), { recursive: true })
  await use(first, 3)
  await restart(third)
  await everybody(5)
  await areEqual('after')

  t.comment('the same without NATS at the start')
  await third.end('SIGTERM')
  rmSync(join(third.dataDir, 'access'), { recursive: true })
  cpSync(copy, join(third.dataDir, 'access'), { recursive: true })
  await servers?.kill()
  await restart(third)
  await everybody(4)
  await servers?.start()
  await areEqual('after')

  t.comment('a copied directory counts for itself, and joins with another id')
  await second.end('SIGTERM')
  const double = join(folder, 'double')
  cpSync(second.dataDir, double, { recursive: true })
  await restart(second)
  for (const name of ['fleet.json', 'node.key']) rmSync(join(double, name), { force: true })
  const copied = await fleet.startCopy(double)
  t.teardown(() => copied.end('SIGKILL'))
  await copied.untilReady(READY_MS)
  await everybody(5)
  await use(copied, 7)
  await areEqual('with the copy', [...members, copied])
  await copied.end('SIGTERM')
  await everybody(2)
  await areEqual('without it')

  t.comment('a copy with the same id counts while the member stands still, under the same life')
  await third.end('SIGTERM')
  const same = join(folder, 'same')
  cpSync(third.dataDir, same, { recursive: true })
  await restart(third)
  await everybody(5)
  await areEqual('before')
  await use(third, 6)
  third.signal('SIGSTOP')
  const standIn = await fleet.startCopy(same)
  t.teardown(() => standIn.end('SIGKILL'))
  await standIn.untilReady(READY_MS)
  await until('it has joined', async () => (await statusOf(standIn)).present)
  await use(standIn, 9)
  await sleep(3000)
  await use(standIn, 2)
  await standIn.end('SIGTERM')
  third.signal('SIGCONT')
  await third.untilReady(READY_MS)
  await everybody(4)
  await areEqual('both are counted')

  t.comment('kill -9: no more is lost than what a node alone loses')
  await use(first, 10)
  await sleep(2500)
  await first.end('SIGKILL')
  await use(second, 5)
  await restart(first)
  await areEqual('after a kill')

  t.comment('a quota holds over members')
  const quota = 100
  const limited = await fleet.makeKey('quota', ['--daily-quota', String(quota)])
  await until('the key is known', async () =>
    (await Promise.all(members.map((member) => reportAt(member, limited)))).every(
      ({ today }) => today !== null,
    ),
  )
  let passed = 0
  for (let time = 0; time < 60; time += 1)
    for (const member of members) {
      if ((await statusAt(member, limited)) === 200) passed += 1
      await sleep(5)
    }
  t.ok(passed >= quota && passed <= quota + 100, `${passed} of a quota of ${quota}`)
  await until('all refuse', async () =>
    (await Promise.all(members.map((member) => statusAt(member, limited)))).every((status) => status === 429),
  )

  t.comment('a rate holds over members, within the bound that fleet.md states')
  const rate = 50
  const burst = 100
  const paced = await fleet.makeKey('rate', ['--rate', String(rate), '--burst', String(burst)])
  await until('the key is known', async () =>
    (await Promise.all(members.map((member) => statusAt(member, paced)))).every((status) => status === 200),
  )
  let let_through = 0
  let isOver = false
  const began = performance.now()
  const clients = [...members, ...members, ...members].map(async (member) => {
    while (!isOver) if ((await statusAt(member, paced)) === 200) let_through += 1
  })
  await sleep(10_000)
  isOver = true
  await Promise.all(clients)
  const seconds = (performance.now() - began) / 1000
  const bound = burst + rate * seconds + (members.length - 1) * (burst + 0.2 * rate)
  const exact = burst + rate * seconds
  t.comment(
    `${let_through} in ${seconds.toFixed(1)} s; rate and burst give ${exact.toFixed(0)}, the bound is ${bound.toFixed(0)}`,
  )
  t.ok(let_through <= bound, `${let_through} of at most ${bound.toFixed(0)}`)
  t.ok(let_through >= 0.8 * rate * seconds, 'no less than the rate')

  t.comment('one member gives the whole rate')
  const whole = await fleet.makeKey('whole', ['--rate', String(rate), '--burst', '10'])
  await until('the key is known', async () => (await statusAt(first, whole)) === 200)
  let alone = 0
  const from = performance.now()
  while (performance.now() - from < 5000) if ((await statusAt(first, whole)) === 200) alone += 1
  t.ok(alone >= 0.9 * rate * 5, `${alone} in 5 s`)
})
