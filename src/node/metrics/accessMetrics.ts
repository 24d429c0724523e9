import type { AccessStats } from '../../gateway/access/accessAdmission.ts'
import type { Metrics } from '../../observe/metrics.ts'

/** Keys with samples of their own. The others share one, so that the metrics do not grow with the number of keys. */
const NAMED_KEYS = 50

/**
 * Declares the metrics of keys and limits.
 * @param stats reads the stats, with the usage of so many keys
 */
export function addAccessMetrics({ gauge, samples }: Metrics, stats: (most: number) => AccessStats): void {
  gauge({
    name: 'access_keys_count',
    help: 'API keys, the disabled ones included.',
    collect: (own) => own.set(stats(0).keys),
  })
  gauge({
    name: 'access_clients_count',
    help: 'Addresses without a key whose usage is tracked.',
    collect: (own) => own.set(stats(0).clients),
  })
  samples({
    type: 'counter',
    name: 'access_refused_total',
    help: 'Refused requests by reason: a limit, or no valid key.',
    labels: ['reason'],
    collect: () => Object.entries(stats(0).refused).map(([reason, value]) => ({ labels: { reason }, value })),
  })
  gauge({
    name: 'client_memory_bytes',
    help: 'Memory in use for requests, filters, subscriptions and unread answers of clients.',
    collect: (own) => own.set(stats(0).memory.used),
  })
  gauge({
    name: 'client_memory_largest_bytes',
    help: 'Memory in use of the client that uses most.',
    collect: (own) => own.set(stats(0).memory.largest),
  })
  samples({
    type: 'counter',
    name: 'client_memory_refused_total',
    help: 'Requests, responses and messages that were refused for lack of memory, by the limit that was reached: client or total.',
    labels: ['limit'],
    collect: () =>
      Object.entries(stats(0).memory.refused).map(([limit, value]) => ({ labels: { limit }, value })),
  })
  samples({
    type: 'counter',
    name: 'client_memory_reclaimed_total',
    help: 'Connections closed to reclaim memory: those of the largest clients, which did not read their responses.',
    labels: [],
    collect: () => [{ labels: {}, value: stats(0).memory.reclaimed }],
  })
  samples({
    type: 'gauge',
    name: 'access_cost_units_today_count',
    help: `Cost units of today as far as they are on disk, in a fleet of all members, of the ${NAMED_KEYS} keys with the most requests.`,
    labels: ['key'],
    collect: () =>
      stats(NAMED_KEYS).usage.flatMap(({ id, today }) =>
        today === null ? [] : [{ labels: { key: id }, value: today }],
      ),
  })
  const usage = (name: string, help: string, member: 'requests' | 'cost') =>
    samples({
      type: 'counter',
      name,
      help: `${help}, of the ${NAMED_KEYS} keys with the most requests; - stands for requests without a key.`,
      labels: ['key'],
      collect: () => stats(NAMED_KEYS).usage.map((one) => ({ labels: { key: one.id }, value: one[member] })),
    })
  usage('access_requests_total', 'Admitted requests', 'requests')
  usage('access_cost_units_total', 'Cost units of the admitted requests', 'cost')
}
