import fc from 'fast-check'
import t from 'tap'
import { parseBody } from '../../../src/gateway/parseBody.ts'
import { RequestScanner } from '../../../src/gateway/scanRequest.ts'

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
        const full = parseBody(Buffer.from(text))
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
