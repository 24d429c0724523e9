import t from 'tap'
import { createMetrics } from '../../../src/observe/metrics.ts'
import { createProcessMetrics } from '../../../src/observe/processMetrics.ts'

const histograms = () => process.getActiveResourcesInfo().filter((name) => /Histogram/.test(name)).length

t.test('a node that ends before its thread was in use leaves no handle', async (t) => {
  const before = histograms()
  const stop = createProcessMetrics(createMetrics(), 'test', () => 0)
  stop()
  t.equal(histograms(), before)
})

t.test('the delay of the event loop is zero before the first sample', async (t) => {
  const metrics = createMetrics()
  const stop = createProcessMetrics(metrics, 'test', () => 0)
  t.teardown(stop)
  const text = await metrics.registry.metrics()
  t.match(text, /^rhizome_front_event_loop_delay_seconds\{quantile="1"\} 0$/m)
})
