import t from 'tap'
import { createMetrics } from '../../../src/observe/metrics.ts'

t.test('metrics are exposed with their prefix and labels', async (t) => {
  const metrics = createMetrics()
  const requests = metrics.counter({ name: 'requests_total', help: 'Requests', labels: ['lane'] })
  requests.inc({ lane: 'evm' }, 3)
  metrics.histogram({ name: 'request_wait_seconds', help: 'Waiting time', buckets: [0.1, 1] }).observe(0.5)
  metrics.gauge({ name: 'queue_length_count', help: 'Requests waiting', collect: (gauge) => gauge.set(4) })
  const text = await metrics.registry.metrics()
  t.match(text, 'rhizome_requests_total{lane="evm"} 3')
  t.match(text, 'rhizome_request_wait_seconds_bucket{le="1"} 1')
  t.match(text, 'rhizome_queue_length_count 4')
})

t.test('a name without its unit is refused', (t) => {
  const metrics = createMetrics()
  t.throws(() => metrics.counter({ name: 'requests', help: 'Requests' }), RangeError)
  t.throws(() => metrics.gauge({ name: 'waitTime', help: 'Waiting time' }), RangeError)
  t.throws(() => metrics.histogram({ name: 'wait', help: 'Waiting time', buckets: [1] }), RangeError)
  t.end()
})

t.test('a renamed metric is exported under both names', async (t) => {
  const metrics = createMetrics()
  const collect = () => [{ value: 3 }]
  metrics.samples({ type: 'gauge', name: 'new_count', help: 'Things.', collect, renamedFrom: 'old_count' })
  const text = await metrics.registry.metrics()
  t.match(text, '# HELP rhizome_new_count Things.\n')
  t.match(text, 'rhizome_new_count 3')
  t.match(text, '# HELP rhizome_old_count Deprecated, renamed to rhizome_new_count until 0.2. Things.\n')
  t.match(text, 'rhizome_old_count 3')
})
