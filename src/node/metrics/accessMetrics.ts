import type { AccessStats } from '../../gateway/access/accessAdmission.ts'
import type { Metrics } from '../../observe/metrics.ts'

/** Keys that have lines of their own; the others are one, so that keys cannot make the metrics grow. */
const NAMED_KEYS = 50

/**
 * Declares the metrics of keys and limits.
 * @param figures at the moment that they are read
 */
export function addAccessMetrics({ gauge, samples }: Metrics, stats: (most: number) => AccessStats): void {
  gauge({
    name: 'access_keys_count',
    help: 'API keys, the disabled ones included.',
    collect: (own) => own.set(stats(0).keys),
  })
  gauge({
    name: 'access_clients_count',
    help: 'Addresses without a key whose use is remembered.',
    collect: (own) => own.set(stats(0).clients),
  })
  samples({
    type: 'counter',
    name: 'access_refused_total',
    help: 'Requests that were refused, by the reason: a limit, or no valid key.',
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
    help: 'The most of it that one client has.',
    collect: (own) => own.set(stats(0).memory.largest),
  })
  samples({
    type: 'counter',
    name: 'client_memory_refused_total',
    help: 'Requests, answers and messages that found no room in it, by whose limit that was: client or total.',
    labels: ['limit'],
    collect: () =>
      Object.entries(stats(0).memory.refused).map(([limit, value]) => ({ labels: { limit }, value })),
  })
  samples({
    type: 'counter',
    name: 'client_memory_reclaimed_total',
    help: 'Connections of the largest clients, unread, that were ended to make room for others.',
    labels: [],
    collect: () => [{ labels: {}, value: stats(0).memory.reclaimed }],
  })
  const usage = (name: string, help: string, member: 'requests' | 'cost') =>
    samples({
      type: 'counter',
      name,
      help: `${help}, of the ${NAMED_KEYS} keys with the most requests; - is without a key.`,
      labels: ['key'],
      collect: () => stats(NAMED_KEYS).usage.map((one) => ({ labels: { key: one.id }, value: one[member] })),
    })
  usage('access_requests_total', 'Requests that were let through', 'requests')
  usage('access_cost_units_total', 'Cost units of the requests that were let through', 'cost')
}
