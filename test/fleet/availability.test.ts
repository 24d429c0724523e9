import { join } from 'node:path'
import t from 'tap'
import { NATS_SKIP } from '../support/natsServer.ts'
import { TestBuild } from '../support/testBuild.ts'
import { faultsOf, rollingRestart } from './availability/faults.ts'
import { readWaits, runRounds } from './availability/rounds.ts'
import { Balancer, balancerSkip } from './cluster/balancer.ts'
import { TestFleet } from './cluster/testFleet.ts'

/** A member is killed, one stands still, a server is killed, a member is started again. */
const CHOSEN = ['member 0 killed', 'member 1 stopped', 'NATS server 0 killed', 'member 2 restarted']

t.test(
  'behind nginx no request fails, and at other members none fails, whoever is hit',
  { skip: NATS_SKIP || balancerSkip('nginx'), timeout: 300_000 },
  async (t) => {
    const build = process.env['TEST_PROGRAM'] === undefined ? await TestBuild.create() : null
    t.teardown(() => build?.remove())
    const fleet = await TestFleet.start({
      folder: t.testdir(),
      members: 3,
      servers: 3,
      program: process.env['TEST_PROGRAM'] ?? join(build?.folder ?? '', 'dist/cli/main.js'),
      args: ['--block-time', '2'],
    })
    t.teardown(() => fleet.close())
    const members = fleet.members.map(({ origin }) => new URL(origin).host)
    const balancer = await Balancer.start('nginx', { folder: t.testdirName, members })
    t.teardown(() => balancer.close())
    const faults = [...faultsOf(fleet), ...rollingRestart(fleet.members)].filter(({ name }) =>
      CHOSEN.includes(name),
    )
    t.equal(faults.length, CHOSEN.length)
    const options = { fleet, balancer, perSecond: 100, perMember: 20, lasts: () => 3000, onRound: () => true }
    for (const { fault, targets, broken, told } of await runRounds(options, faults)) {
      t.same(broken, [], fault)
      t.ok(told > 20, `${told} answers are checked`)
      for (const { target, isHit, requests, failed, failures } of targets) {
        t.ok(requests > 20, `${fault}: ${requests} at ${target}`)
        if (!isHit) t.same([failed.read, failed.send], [0, 0], `${fault}: ${failures.join('; ')}`)
      }
    }
    for (const { origin } of fleet.members) {
      const waits = await readWaits(origin)
      t.same(Object.keys(waits).sort(), ['adopt', 'block', 'poll', 'send'])
      t.equal(waits['send']?.['1'], waits['send']?.['+Inf'], 'no send waits for long')
    }
  },
)
