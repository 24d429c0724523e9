import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { administratorsEnvironment, missingProgram } from '../support/installedPrograms.ts'
import { ROOT } from '../support/sources.ts'

// Every alert of .deploy/prometheus on series of two nodes, with which it fires and does not: by Prometheus' own tests.

/** Series and their values as promtool writes them, a value a minute. */
type Series = Readonly<Record<string, string>>

interface AlertCase {
  /** When it is looked at. */
  readonly at: string
  readonly firing: Series
  /** Labels and summary of what fires, and nothing else. */
  readonly alert: { readonly labels: Readonly<Record<string, string>>; readonly summary: string }
  readonly quiet: readonly Series[]
}

const folder = join(ROOT, '.deploy/prometheus')
const skip = missingProgram('promtool', '--version')

/** A series of one of the two nodes. */
function of(node: string, name: string, labels: Readonly<Record<string, string>> = {}): string {
  const all = { job: 'rhizome', instance: node, ...labels }
  const texts = Object.entries(all).map(([label, value]) => `${label}="${value}"`)
  return `${name.startsWith('up') ? name : `rhizome_${name}`}{${texts.join(',')}}`
}

const a = (name: string, labels?: Readonly<Record<string, string>>) => of('a', name, labels)
const b = (name: string, labels?: Readonly<Record<string, string>>) => of('b', name, labels)
const NODE_A = { job: 'rhizome', instance: 'a' }
const DAYS = 86_400
const LIMIT = 1_000_000

/** One that fires while a number of one node is bad, and not while both are good or only just were. */
function simple(
  name: string,
  values: { readonly bad: number; readonly good: number },
  summary: string,
  at = '20m',
  labels: Readonly<Record<string, string>> = {},
): AlertCase {
  const [bad, good] = [`${values.bad}x200`, `${values.good}x200`]
  return {
    at,
    firing: { [a(name, labels)]: bad, [b(name, labels)]: good },
    alert: { labels: { ...NODE_A, ...labels }, summary },
    quiet: [{ [a(name, labels)]: good, [b(name, labels)]: good }, {}],
  }
}

const CASES: Readonly<Record<string, AlertCase>> = {
  RhizomeDown: {
    at: '10m',
    firing: { [a('up')]: '1 1 0x20', [b('up')]: '1x20' },
    alert: { labels: NODE_A, summary: 'a does not answer at its port of metrics.' },
    quiet: [{ [a('up')]: '1x20', [b('up')]: '1x20' }, { [a('up')]: '1x8 0 1x20' }],
  },
  RhizomeIsNotAsked: {
    at: '10m',
    firing: { 'up{job="other"}': '1x20' },
    alert: {
      labels: { job: 'rhizome' },
      summary: 'Prometheus has no job named rhizome, so that no node is watched.',
    },
    quiet: [{ [a('up')]: '0x20' }],
  },
  RhizomeHeadIsOld: simple('chain_head_age_seconds', { bad: 660, good: 30 }, 'The head of a is 11m 0s old.'),
  RhizomeStoreTakesNoWrites: simple(
    'store_writable_info',
    { bad: 0, good: 1 },
    'a cannot write to its stores; reads continue.',
  ),
  RhizomeDiskIsShort: simple(
    'store_disk_free_bytes',
    { bad: 2 ** 30, good: 2 ** 40 },
    'The disk of a has 1GiB free.',
  ),
  RhizomeStoreIsNearItsLimit: {
    at: '20m',
    firing: {
      [a('store_disk_bytes', { store: 'chain' })]: `${0.5 * LIMIT}x60`,
      [a('store_disk_bytes', { store: 'state' })]: `${0.9375 * LIMIT}x60`,
      [a('store_limit_bytes')]: `${LIMIT}x60`,
      [b('store_disk_bytes', { store: 'state' })]: `${0.9375 * LIMIT}x60`,
      [b('store_limit_bytes')]: `${2 * LIMIT}x60`,
    },
    alert: {
      labels: { ...NODE_A, store: 'state' },
      summary:
        'The state store of a has 915.5kiB and is near --store-limit, at which nothing more is written.',
    },
    // One whose limit is the disk has none to be near.
    quiet: [{ [a('store_disk_bytes', { store: 'state' })]: `${LIMIT}x60` }],
  },
  RhizomePruningFails: simple(
    'state_pruning_fault_info',
    { bad: 1, good: 0 },
    'a could not give up old states, which --proofs or --history asks for: its log says why.',
  ),
  RhizomeChainIsHalted: simple(
    'sync_halted_info',
    { bad: 1, good: 0 },
    'a does not go on with the chain of its peers: /ready and refused-block.json say why.',
  ),
  RhizomeHasNoPeers: {
    at: '30m',
    firing: {
      [a('peer_thread_failed_info')]: '0x60',
      [a('peers_count', { client: 'rskj', direction: 'out' })]: '2x5 stale',
      [b('peer_thread_failed_info')]: '0x60',
      [b('peers_count', { client: 'rskj', direction: 'out' })]: '1x60',
    },
    alert: { labels: NODE_A, summary: 'a is connected to no peer.' },
    // A node without a peer thread wants none; one that had none for a while has some again.
    quiet: [
      { [a('chain_head_number')]: '1x60' },
      {
        [a('peer_thread_failed_info')]: '0x60',
        [a('peers_count', { client: 'rhizome', direction: 'in' })]: '_x25 1x60',
      },
    ],
  },
  RhizomePeerThreadIsGone: simple(
    'peer_thread_failed_info',
    { bad: 1, good: 0 },
    'The peer thread of a has failed and was not restarted.',
  ),
  RhizomeClockIsWrong: simple(
    'clock_difference_seconds',
    { bad: -21, good: 0 },
    'The clock of a is -21 s ahead of new blocks: behind them where that is negative.',
  ),
  RhizomeCertificateEnds: simple(
    'tls_certificate_end_time_seconds',
    { bad: 10 * DAYS, good: 30 * DAYS },
    'The certificate of a ends in 9d 22h 0m 0s.',
    '2h',
  ),
  RhizomeReadersAreShort: {
    at: '20m',
    firing: {
      [a('store_readers_count', { store: 'chain' })]: '110x60',
      [a('store_readers_limit_count', { store: 'chain' })]: '126x60',
      [b('store_readers_count', { store: 'chain' })]: '50x60',
      [b('store_readers_limit_count', { store: 'chain' })]: '126x60',
    },
    alert: {
      labels: { ...NODE_A, store: 'chain' },
      summary: 'The chain store of a is running out of reader slots.',
    },
    quiet: [
      {
        [a('store_readers_count', { store: 'chain' })]: '50x60',
        [a('store_readers_limit_count', { store: 'chain' })]: '126x60',
      },
    ],
  },
  RhizomeRefusesRequests: {
    at: '20m',
    firing: { [a('lane_refused_total', { lane: 'evm' })]: '0+120x60' },
    alert: {
      labels: { instance: 'a', lane: 'evm' },
      summary: 'The queue of the lane evm of a is full; requests are refused.',
    },
    quiet: [{ [a('lane_refused_total', { lane: 'evm' })]: '0+30x60' }],
  },
  RhizomeInternalErrors: {
    at: '20m',
    firing: {
      [a('rpc_errors_total', { code: '-32603', method: 'eth_call' })]: '0+60x60',
      [a('rpc_errors_total', { code: '-32602', method: 'eth_getLogs' })]: '0+60x60',
    },
    alert: {
      labels: { instance: 'a', method: 'eth_call' },
      summary: 'eth_call fails on a with internal errors.',
    },
    quiet: [{ [a('rpc_errors_total', { code: '-32603', method: 'eth_call' })]: '0+1x60' }],
  },
  RhizomeLosesWorkers: {
    at: '20m',
    firing: { [a('worker_lost_batches_total')]: '0x10 1x60' },
    alert: { labels: NODE_A, summary: 'A worker of a died and lost its requests.' },
    quiet: [{ [a('worker_lost_batches_total')]: '1x60' }],
  },
  RhizomeFrontThreadIsLate: simple(
    'front_event_loop_delay_seconds',
    { bad: 0.2, good: 0.001 },
    'The front thread of a is overloaded.',
    '20m',
    { quantile: '0.99' },
  ),
  RhizomeFleetIsNotReached: simple(
    'fleet_connected_info',
    { bad: 0, good: 1 },
    'a does not reach NATS: it answers alone, with keys as last known.',
  ),
  RhizomeFleetMemberIsNotPresent: {
    at: '20m',
    firing: {
      [a('fleet_present_info')]: '0x60',
      [a('fleet_connected_info')]: '1x60',
      [b('fleet_present_info')]: '1x60',
      [b('fleet_connected_info')]: '1x60',
    },
    alert: { labels: NODE_A, summary: 'Others do not count on a: its log and `fleet status` say why.' },
    // Whoever does not reach NATS has an alert of its own.
    quiet: [{ [a('fleet_present_info')]: '0x60', [a('fleet_connected_info')]: '0x60' }],
  },
  RhizomeFleetMemberIsLate: {
    at: '20m',
    firing: { [a('fleet_late_members_count')]: '0x60', [b('fleet_late_members_count')]: '1x60' },
    alert: {
      labels: {},
      summary:
        'A member executes blocks so late that the others do not wait for it; `fleet status` names it.',
    },
    quiet: [{ [a('fleet_late_members_count')]: '0x60' }],
  },
  RhizomeFleetMembersAreNotLinked: simple(
    'fleet_unlinked_members_count',
    { bad: 1, good: 0 },
    'a has no connection as a peer with another member: see --fleet-p2p-address.',
  ),
  RhizomeFleetBlocksWait: {
    at: '20m',
    firing: { [a('fleet_adopted_blocks_total', { why: 'late' })]: '0+1x60' },
    alert: {
      labels: { ...NODE_A, why: 'late' },
      summary: 'a waited for all of --fleet-adopt-wait for other members.',
    },
    quiet: [
      { [a('fleet_adopted_blocks_total', { why: 'late' })]: '5x60' },
      { [a('fleet_adopted_blocks_total', { why: 'executed' })]: '0+1x60' },
    ],
  },
  RhizomeFleetClocksDiffer: simple(
    'fleet_clock_difference_seconds',
    { bad: 2, good: 0 },
    'The clock of a differs from that of another member: days of quotas begin at different times.',
  ),
  RhizomeFleetMessagesAreSkipped: {
    at: '20m',
    firing: { [a('fleet_events_total', { event: 'skippedMessages' })]: '0+1x60' },
    alert: {
      labels: { ...NODE_A, event: 'skippedMessages' },
      summary: 'a hears messages that do not parse on the subjects of the fleet.',
    },
    quiet: [
      { [a('fleet_events_total', { event: 'skippedMessages' })]: '1x60' },
      { [a('fleet_events_total', { event: 'lateBlocks' })]: '0+1x60' },
    ],
  },
}

interface Rule {
  readonly alert: string
  readonly labels: Readonly<Record<string, string>>
}

const rules = (
  parse(readFileSync(join(folder, 'alerts.yaml'), 'utf8')) as {
    groups: { rules: Rule[] }[]
  }
).groups.flatMap((group) => group.rules)

function promtool(...words: string[]) {
  const { status, stdout, stderr } = spawnSync('promtool', words, {
    encoding: 'utf8',
    env: administratorsEnvironment(),
  })
  return { status, output: stdout + stderr }
}

t.test('every alert is tried', (t) => {
  t.same(Object.keys(CASES).sort(), rules.map(({ alert }) => alert).sort())
  t.end()
})

t.test('every alert fires when it is to, and only then', { skip }, (t) => {
  const path = t.testdir()
  copyFileSync(join(folder, 'alerts.yaml'), join(path, 'alerts.yaml'))
  for (const rule of rules) {
    const found = CASES[rule.alert]
    if (found === undefined) continue
    const { at, firing, alert, quiet } = found
    const expected = {
      exp_labels: { ...alert.labels, ...rule.labels },
      exp_annotations: { summary: alert.summary },
    }
    const tests = [
      { series: firing, alerts: [expected] },
      ...quiet.map((series) => ({ series, alerts: [] })),
    ].map(({ series, alerts }) => ({
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      alert_rule_test: [{ eval_time: at, alertname: rule.alert, exp_alerts: alerts }],
    }))
    const file = join(path, `${rule.alert}.yaml`)
    writeFileSync(file, stringify({ rule_files: ['alerts.yaml'], evaluation_interval: '1m', tests }))
    const { status, output } = promtool('test', 'rules', file)
    t.equal(status, 0, `${rule.alert}: ${output}`)
  }
  t.end()
})

t.test('Prometheus takes the configuration, which asks for the job that the alerts know', { skip }, (t) => {
  const { status, output } = promtool('check', 'config', join(folder, 'prometheus.yaml'))
  t.equal(status, 0, output)
  t.match(output, `${rules.length} rules found`)
  const { scrape_configs: jobs } = parse(readFileSync(join(folder, 'prometheus.yaml'), 'utf8')) as {
    scrape_configs: { job_name: string }[]
  }
  t.same(
    jobs.map((job) => job.job_name),
    ['rhizome'],
  )
  t.end()
})
