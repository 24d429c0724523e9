import t from 'tap'
import { lineChart } from '../../../bench/report/plot.ts'
import { mix, textOf } from '../../../bench/rpc/requests.ts'

const request = (method: string, params: readonly unknown[] = []) => ({ method, params })

t.test('a mix keeps the shares and takes each part in its order', (t) => {
  const numbered = Array.from({ length: 1_000 }, (_, i) => request('a', [i]))
  const bodies = mix(
    [
      { weight: 3, bodies: numbered },
      { weight: 1, bodies: [request('b')] },
    ],
    1_000,
  ) as { method: string; params: number[] }[]
  const first = bodies.filter(({ method }) => method === 'a')
  t.ok(first.length > 700 && first.length < 800, `${first.length} of 1,000`)
  t.same(
    first.map(({ params }) => params[0]),
    first.map((_, i) => i),
  )
  t.end()
})

t.test('batches number their requests', (t) => {
  t.equal(textOf(request('m')), '{"jsonrpc":"2.0","id":1,"method":"m","params":[]}')
  t.same(
    (JSON.parse(textOf([request('a'), request('b')])) as { id: number }[]).map(({ id }) => id),
    [1, 2],
  )
  t.end()
})

t.test('a plot has a point for each value and says its names safely', (t) => {
  const svg = lineChart('a < b', [10, 100, 1_000], [{ name: 'x & y', values: [1, null, 100] }])
  t.equal(svg.match(/<circle/g)?.length, 2)
  t.match(svg, 'a &lt; b')
  t.match(svg, 'x &amp; y')
  t.end()
})
