import t from 'tap'
import { comparePairs } from '../../../bench/rpc/comparePairs.ts'

const closeTo = (value: number, expected: number) => Math.abs(value - expected) < 1e-3

t.test('the ratio of pairs and its interval', (t) => {
  // By hand: logarithms 0.1, 0.2, 0.3; deviation 0.1; t of two degrees of freedom 4.303.
  const pairs = [0.1, 0.2, 0.3].map((logarithm) => ({ before: 100, after: 100 * Math.exp(logarithm) }))
  const { ratio, low, high, before, after } = comparePairs(pairs)
  const reach = (4.303 * 0.1) / Math.sqrt(3)
  t.ok(closeTo(ratio, Math.exp(0.2)))
  t.ok(closeTo(low, Math.exp(0.2 - reach)))
  t.ok(closeTo(high, Math.exp(0.2 + reach)))
  t.ok(before === 100 && closeTo(after, 100 * Math.exp(0.2)))
  t.end()
})

t.test('what disturbs both sides of each pair alike does not widen the interval', (t) => {
  const { low, high } = comparePairs([50, 100, 200, 400].map((before) => ({ before, after: before * 1.1 })))
  t.ok(closeTo(low, 1.1) && closeTo(high, 1.1))
  t.end()
})
