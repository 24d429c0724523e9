import t from 'tap'
import type { ClosedLoopResult } from '../../../bench/rpc/closedLoop.ts'
import type { Measurement } from '../../../bench/rpc/contender.ts'
import { ratioRows } from '../../../bench/rpc/ratios.ts'

function measurement(requestsPerSecond: number, changes: Partial<Measurement> = {}): Measurement {
  return {
    requests: requestsPerSecond,
    seconds: 1,
    requestsPerSecond,
    p50: 1,
    p99: 1,
    p999: 1,
    most: 1,
    failures: 0,
    firstFailure: null,
    outcomes: { dropped: 0, results: requestsPerSecond, refused: 0, errors: 0, broken: 0, unanswered: 0 },
    startedAt: 0,
    timeline: [],
    processorSeconds: 0.5,
    processorMicros: 10,
    memoryMiB: 1,
    ...changes,
  }
}

function rowOf(
  workload: string,
  medians: ClosedLoopResult['medians'],
  refusals: ClosedLoopResult['refusals'] = {},
) {
  const [row] = ratioRows([{ workload, runs: {}, medians, refusals }], 'rhizome')
  return row ?? {}
}

t.test('a ratio stands beside its target and says whether that is met', (t) => {
  const row = rowOf('eth_call balanceOf', {
    rhizome: measurement(30_000),
    anvil: measurement(20_000),
    'geth --dev': measurement(10_000),
  })
  t.equal(row['rhizome / anvil'], '1.50 (≥ 1.3 met)')
  t.equal(row['rhizome / geth --dev'], '3.00 (≥ 3.5 **not met**)')
  t.end()
})

t.test('processor time is compared where the generator had a whole core', (t) => {
  const row = rowOf('eth_chainId', {
    rhizome: measurement(100_000, { processorSeconds: 0.95, processorMicros: 8 }),
    anvil: measurement(90_000, { processorMicros: 20 }),
  })
  t.equal(row['rhizome / anvil'], '2.50 CPU (1.11 of requests/s) (≥ 1.2 met)')
  t.end()
})

t.test('the recorded figure of RSKj is scaled by what anvil does now', (t) => {
  const anvil = measurement(36_000)
  const row = rowOf('eth_call balanceOf', { rhizome: measurement(50_000), anvil })
  // Recorded: RSKj 1,000, anvil 18,000. anvil is twice as fast here, so RSKj counts as 2,000.
  t.equal(row['rhizome / RSKj (scaled)'], '25.0 (≥ 20 met)')
  const unknown = rowOf('eth_getTransactionCount', { rhizome: measurement(50_000), anvil })
  t.equal(unknown['rhizome / RSKj (scaled)'], 'open (≥ 10)')
  t.end()
})

t.test('this node without its cache of answers has columns of its own', (t) => {
  const row = rowOf('eth_getCode', {
    rhizome: measurement(40_000),
    'rhizome, cache off': measurement(10_000),
    anvil: measurement(20_000),
  })
  t.equal(row['rhizome / anvil'], '2.00')
  t.equal(row['cache off / anvil'], '0.500')
  t.end()
})

t.test('a node measured in the same run takes the place of a recorded one', (t) => {
  const row = rowOf('eth_call balanceOf', { rhizome: measurement(50_000), RSKj: measurement(1_000) })
  t.equal(row['rhizome / RSKj'], '50.0 (≥ 20 met)')
  t.notOk('rhizome / RSKj (scaled)' in row)
  t.end()
})

t.test('a node that lacks a method is named in its cell and costs the others nothing', (t) => {
  const medians = { rhizome: measurement(40_000), anvil: measurement(20_000) }
  const [row] = ratioRows(
    [
      { workload: 'eth_chainId', runs: {}, medians: { ...medians, RSKj: measurement(2_000) }, refusals: {} },
      { workload: 'eth_getProof', runs: {}, medians, refusals: { RSKj: 'method not found' } },
    ],
    'rhizome',
  ).slice(1)
  t.equal(row?.['rhizome / anvil'], '2.00')
  t.equal(row?.['rhizome / RSKj'], 'refused')
  t.end()
})
