import fc from 'fast-check'
import t from 'tap'
import { parseBody } from '../../../src/gateway/envelope/parseBody.ts'
import { scanBatch } from '../../../src/gateway/envelope/scanBatch.ts'
import { RequestScanner } from '../../../src/gateway/envelope/scanRequest.ts'

const scanner = new RequestScanner()

/** What the quick scan and the full parser make of a body; null where the scan refuses it. */
function scan(text: string): { method: string; id: string; params: string } | null {
  const bytes = Buffer.from(text, 'utf8')
  if (!scanner.scan(bytes)) return null
  return {
    method: scanner.method,
    id: bytes.toString('latin1', scanner.idStart, scanner.idEnd),
    params: bytes.toString('latin1', scanner.paramsStart, scanner.paramsEnd),
  }
}

t.test('takes ordinary requests', (t) => {
  t.same(scan('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'), {
    method: 'eth_chainId',
    id: '1',
    params: '[]',
  })
  t.same(scan(' {"method" : "m" ,\n"id":"x","params":[{"a":["]"]},"}"]} rest'), {
    method: 'm',
    id: '"x"',
    params: '[{"a":["]"]},"}"]',
  })
  t.same(scan('{"id":-12,"method":"m"}'), { method: 'm', id: '-12', params: '' })
  t.end()
})

t.test('leaves everything unusual to the full parser', (t) => {
  for (const text of [
    '',
    '[]',
    '{}',
    '{"method":"m"}',
    '{"id":null,"method":"m"}',
    '{"id":1.5,"method":"m"}',
    '{"id":1e3,"method":"m"}',
    '{"id":01,"method":"m"}',
    '{"id":1234567890123456,"method":"m"}',
    '{"id":true,"method":"m"}',
    '{"id":[1],"method":"m"}',
    '{"id":1,"id":2,"method":"m"}',
    '{"id":1,"method":"m","method":"n"}',
    '{"id":1,"method":"\\u006d"}',
    '{"id":"\\n","method":"m"}',
    '{"id":"ü","method":"m"}',
    '{"id":1,"method":"m","extra":1}',
    '{"id":1,"method":"m","params":{}}',
    '{"id":1,"method":"m","params":"x"}',
    '{"id":1,"method":"m","params":[}',
    '{"id":1,"method":"m","params":[',
    '{"id":1,"method":"m"',
    '{"id":1 "method":"m"}',
    '{"id":1,"method":"m",}',
    '\ufeff{"id":1,"method":"m"}',
  ]) {
    t.equal(scan(text), null, text)
  }
  t.end()
})

t.test('agrees with the full parser on whatever it takes', (t) => {
  const scalar = fc.oneof(fc.integer(), fc.string(), fc.double({ noNaN: true }), fc.constant(null))
  fc.assert(
    fc.property(
      fc.record({ id: scalar, method: fc.string(), params: fc.array(fc.jsonValue(), { maxLength: 4 }) }),
      fc.constantFrom('', '  ', '\n'),
      (request, space) => {
        const text = space + JSON.stringify(request) + space
        const quick = scan(text)
        if (quick === null) return
        const full = parseBody(Buffer.from(text), 1)
        if (full.kind !== 'request') throw new Error('no request')
        if (JSON.stringify(full.request) !== JSON.stringify(quickInOrder(quick))) throw new Error(text)
      },
    ),
    { numRuns: 2000 },
  )
  t.end()
})

function quickInOrder({ method, id, params }: { method: string; id: string; params: string }) {
  return { method, id, params }
}

const MOST = 5

t.test('finds the requests of a batch as the full parser does', (t) => {
  const request = fc.record({
    id: fc.constantFrom('1', '"x"', '-7', 'null', '1.5', '{}'),
    method: fc.constantFrom('"m"', '"eth_call"', '5', '"\\u0061"'),
    params: fc.constantFrom('[]', '["0x1","latest"]', '[{"a":[1]}]', 'null', '[tru]', '["é"]', '[1,]'),
  })
  const element = fc.oneof(
    { weight: 20, arbitrary: request.map((r) => `{"id":${r.id},"method":${r.method},"params":${r.params}}`) },
    { weight: 1, arbitrary: fc.constantFrom('1', '[]', '{"id":1}', '') },
  )
  const batch = fc.tuple(
    fc.constantFrom('[', ' [ ', '{', ''),
    fc.array(element, { maxLength: MOST + 2 }),
    fc.constantFrom(',', ' , ', ',,'),
    fc.constantFrom(']', ' ]', '', ',]', '] x', '}'),
  )
  let taken = 0
  fc.assert(
    fc.property(batch, ([open, elements, comma, close]) => {
      const bytes = Buffer.from(open + elements.join(comma) + close, 'utf8')
      const requests = scanBatch(scanner, bytes, MOST)
      if (requests === null) return
      taken += 1
      const expected = requests.map((found) => ({ kind: 'request', request: found }))
      t.strictSame(parseBody(bytes, MOST), { kind: 'batch', elements: expected })
      t.ok(requests.length > 0 && requests.length <= MOST)
    }),
    { numRuns: 5000 },
  )
  t.ok(taken > 0)
  const ordinary = Array.from({ length: MOST }, (_, i) => `{"id":${i},"method":"m","params":["0x1"]}`)
  t.equal(scanBatch(scanner, Buffer.from(`[${ordinary.join(', ')}] rest`), MOST)?.length, MOST)
  t.equal(scanBatch(scanner, Buffer.from(`[${[...ordinary, ordinary[0]].join()}]`), MOST), null)
  t.equal(scanBatch(scanner, Buffer.from(`[${ordinary[0]},{"id":1,"method":"m","params":[x]}]`), MOST), null)
  t.end()
})
