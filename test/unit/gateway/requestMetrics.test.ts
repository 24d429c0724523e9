import t from 'tap'
import { errorCodeOf } from '../../../src/gateway/envelope/answerCode.ts'
import { RequestMetrics } from '../../../src/gateway/requestMetrics.ts'
import { failureText, successText } from '../../../src/rpc/json.ts'

t.test('requests are counted by method and by what answered', (t) => {
  const metrics = new RequestMetrics([{ name: 'a' }, { name: 'b' }])
  for (let i = 0; i < 32; i++) metrics.answeredInFront(0, metrics.sample(), 1)
  metrics.answeredFromCache(0, 0, 1)
  metrics.answered(0, 700)
  metrics.answered(metrics.unknown, 0)
  metrics.failed(metrics.unknown, -32601)
  metrics.failed(metrics.unknown, -32601)
  const [first, unknown, ...others] = metrics.stats()
  t.same(others, [], 'methods nobody asked for are left out')
  t.match(first, { method: 'a', requests: 34, inFront: 32, fromCache: 1 })
  const counts = [...(first?.counts ?? [])]
  t.equal(
    counts.reduce((sum, count) => sum + count, 0),
    33,
    'two of 32 were timed for all of them, and the slow one',
  )
  t.equal(counts[11], 1, 'of 700 ms, at most a second')
  t.ok((first?.seconds ?? 0) >= 0.7)
  t.match(unknown, { method: 'unknown', requests: 1 })
  t.same(metrics.errors(), [{ method: 'unknown', code: -32601, count: 2 }])
  t.end()
})

t.test('the code of an error is read off the answer', (t) => {
  const error = { code: -32602, message: 'x "result": y' }
  for (const id of ['1', '"é"', '"\\"error\\":{\\"code\\":1"', 'null', `"${'x'.repeat(900)}"`]) {
    for (const of of [(text: string) => text, (text: string) => Buffer.from(text)]) {
      t.equal(errorCodeOf(of(successText(id, '{"error":{"code":5}}')), id), null, id)
      t.equal(errorCodeOf(of(failureText(id, error)), id), -32602, id)
      t.equal(errorCodeOf(of(failureText('null', error)), id), -32602, `${id}, answered without it`)
    }
  }
  t.equal(errorCodeOf('', '1'), null)
  t.end()
})
