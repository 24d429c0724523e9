import t from 'tap'
import { readVectorLines, vectorPath } from '../../../support/vectors.ts'
import { Comparison } from '../../../vectors/comparison.ts'
import { compareServed } from '../../../vectors/kinds/p2pServe.ts'

/** Questions of both sides on the recorded chain, with and without answers. */
const MIN_EXCHANGES = 221

t.test('what was answered in the recorded sessions is what this node answers', async (t) => {
  const comparison = new Comparison()
  await compareServed(
    readVectorLines('p2p/p2p-sessions.jsonl'),
    comparison,
    vectorPath('p2p/p2p-sessions.jsonl'),
  )
  t.same(comparison.differences, [])
  t.equal(comparison.different, 0)
  t.ok(comparison.equal >= MIN_EXCHANGES, `${comparison.equal} exchanges`)
})
