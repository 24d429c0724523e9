import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { TestBuild } from '../../support/testBuild.ts'
import { Balancer, type BalancerName } from '../cluster/balancer.ts'
import { TestFleet } from '../cluster/testFleet.ts'
import { faultsOf, rollingRestart } from './faults.ts'
import { BALANCER, type Round, readWaits, runRounds } from './rounds.ts'

/**
 * Three members, three NATS servers and a balancer with the file of `.deploy/fleet`; members and servers are killed,
 * stopped and cut off in turn while clients ask. Ends with 1 when a request failed that must not.
 */
const { values } = parseArgs({
  options: {
    balancer: { type: 'string', default: 'nginx' },
    /** Requests a second at the balancer. */
    rate: { type: 'string', default: '500' },
    /** The same at each member, beside that. */
    direct: { type: 'string', default: '30' },
    /** Seconds for which a fault lasts. */
    lasts: { type: 'string', default: '10' },
    /** Words in the names of faults; all unless given. */
    only: { type: 'string', multiple: true },
    /** Compiled command line; this source unless given. */
    program: { type: 'string' },
  },
})

const print = (text: string) => process.stdout.write(`${text}\n`)
const folder = mkdtempSync(join(tmpdir(), 'rhizome-availability-'))
const build = values.program === undefined ? await TestBuild.create() : null
const program = values.program ?? join(build?.folder ?? '', 'dist/cli/main.js')
const fleet = await TestFleet.start({
  folder,
  members: 3,
  servers: 3,
  program,
  args: ['--block-time', '2'],
  network: true,
})
const balancer = await Balancer.start(values.balancer as BalancerName, {
  folder,
  members: fleet.members.map(({ origin }) => new URL(origin).host),
})
let wrong = 0
/** Of the reads that failed: those of blocks that another member had and that did not come in time. */
let notHere = 0
try {
  if (fleet.network === null) print('links cannot be cut here: root and namespaces are needed')
  const all = [...faultsOf(fleet), ...rollingRestart(fleet.members)]
  const isChosen = (name: string) => values.only?.some((word) => name.includes(word)) ?? true
  await runRounds(
    {
      fleet,
      balancer,
      perSecond: Number(values.rate),
      perMember: Number(values.direct),
      lasts: () => Number(values.lasts) * 1000,
      onRound: report,
    },
    all.filter(({ name }) => isChosen(name)),
  )
  for (const member of fleet.members) {
    print(`waits of member ${member.member}, requests at most so many seconds:`)
    for (const [reason, row] of Object.entries(await readWaits(member.origin))) {
      const longer = (bound: string) => (row['+Inf'] ?? 0) - (row[bound] ?? 0)
      if (reason === 'send' && longer('0.2') > 0) wrong += 1
      if (longer('5') > 0) wrong += 1
      const inOrder = Object.entries(row).sort(([one], [other]) => boundOf(one) - boundOf(other))
      print(`  ${reason}: ${inOrder.map(([bound, count]) => `${bound}: ${count}`).join(', ')}`)
    }
  }
} finally {
  await balancer.close()
  await fleet.close()
  build?.remove()
  rmSync(folder, { recursive: true, force: true })
}
print(`${notHere} reads at members that were not hit were refused by fleet.md §4`)
print(wrong === 0 ? 'nothing failed that must not' : `${wrong} rounds failed`)
process.exit(wrong === 0 ? 0 : 1)

function boundOf(text: string): number {
  return text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text)
}

/** Requests at a member that was hit may fail; polls of filters that are away are counted apart. */
function report({ fault, took, targets, broken }: Round): boolean {
  print(`${fault}: whole after ${(took / 1000).toFixed(1)} s`)
  for (const { target, isHit, requests, failed, notHere: late, p50, p99, longest, failures } of targets) {
    const isRefused = target !== BALANCER && !isHit
    if (isRefused) notHere += late
    const isWrong = !isHit && failed.read + failed.send > 0
    if (isWrong) wrong += 1
    const what = `${failed.read} reads, ${failed.send} sends, ${failed.poll} polls failed`
    const note = isWrong ? ' WRONG' : isHit ? ' (hit)' : ''
    print(`  ${target}${note}: ${requests} requests, ${what}; p50 ${p50}, p99 ${p99}, longest ${longest} ms`)
    if (isWrong || target === BALANCER) for (const text of failures) print(`    ${text}`)
  }
  for (const text of broken) print(`  BROKEN ${text}`)
  wrong += broken.length
  return true
}
