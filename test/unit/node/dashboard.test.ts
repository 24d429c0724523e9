import { readFileSync } from 'node:fs'
import parsePrometheus from 'parse-prometheus-text-format'
import t from 'tap'
import { parse } from 'yaml'
import type { AccessStats } from '../../../src/gateway/access/accessAdmission.ts'
import { addFleetMetrics } from '../../../src/node/metrics/fleetMetrics.ts'
import { createNodeMetrics } from '../../../src/node/metrics/nodeMetrics.ts'
import { DEPRECATED } from '../../../src/observe/metrics.ts'
import { Waits } from '../../../src/util/waits.ts'

const NOTHING_REFUSED = {} as AccessStats['refused']

const NO_MEMORY = { used: 0, largest: 0, refused: { client: 0, total: 0 }, reclaimed: 0 }
const metrics = createNodeMetrics({
  version: 'test',
  hashrate: () => 0n,
  service: () => null,
  stores: () => null,
  lostLogEntries: () => 0,
  chainBusySeconds: () => 0,
})
metrics.watchAccess(() => ({
  keys: 0,
  clients: 0,
  refused: NOTHING_REFUSED,
  memory: NO_MEMORY,
  usage: [],
}))
metrics.watchMembership({
  addMetrics: (registry) =>
    addFleetMetrics(registry, {
      status: () => undefined,
      polls: () => new Waits().all,
      busySeconds: () => 0,
    }),
})
metrics.watchPeers({
  report: () => null,
  status: () => ({ restarts: 0, fault: null }),
  busySeconds: () => 0,
})
t.teardown(() => metrics.close())
const families = parsePrometheus(await metrics.text())
const isDeprecated = ({ help }: { help: string }) => help.startsWith(DEPRECATED)
const names = new Set(families.filter((family) => !isDeprecated(family)).map(({ name }) => name))

/** Metrics that a text of queries names; the series of a distribution count as the distribution. */
function namesIn(text: string): Set<string> {
  const found = text.match(/rhizome_[a-z0-9_]+/g) ?? []
  return new Set(found.map((name) => (names.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''))))
}

function readDeployed(name: string): string {
  return readFileSync(new URL(`../../../.deploy/${name}`, import.meta.url), 'utf8')
}

t.test('the dashboard shows every metric and no other', (t) => {
  t.ok(names.size > 40)
  const dashboard = JSON.parse(readDeployed('grafana/rhizome.json')) as {
    panels: { id: number; targets?: { expr: string }[] }[]
  }
  const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n')
  const shown = namesIn(queries)
  t.same([...names].filter((name) => !shown.has(name)).sort(), [], 'metrics that no panel shows')
  t.same([...shown].filter((name) => !names.has(name)).sort(), [], 'panels of metrics that do not exist')
  const ids = dashboard.panels.map(({ id }) => id)
  t.equal(new Set(ids).size, ids.length)
  t.end()
})

t.test('alerts ask for metrics that exist', (t) => {
  const { groups } = parse(readDeployed('prometheus/alerts.yaml')) as {
    groups: { rules: { alert: string; expr: string }[] }[]
  }
  const rules = groups.flatMap((group) => group.rules)
  t.ok(rules.length > 5)
  for (const { alert, expr } of rules) {
    const asked = namesIn(expr)
    // Prometheus itself says whether a node answered.
    t.ok(asked.size > 0 || expr.includes('up{job="rhizome"}'), alert)
    t.same(
      [...asked].filter((name) => !names.has(name)),
      [],
      alert,
    )
  }
  t.end()
})
