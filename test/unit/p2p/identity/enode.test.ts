import t from 'tap'
import { EnodeError, formatEnode, parseEnode } from '../../../../src/p2p/identity/enode.ts'

const ID =
  '4f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa385b6b1b8ead809ca67454d9683fcf2ba03456d6fe2c4abe2b07f0fbdbb2f1c1'

t.test('what is read is printed again', (t) => {
  for (const host of ['127.0.0.1', '2001:db8::1', 'bootstrap01.rsk.co', 'localhost']) {
    const node = { id: ID, host, port: 50_505 }
    t.same(parseEnode(formatEnode(node)), node)
  }
  t.equal(formatEnode({ id: ID, host: '::1', port: 1 }), `enode://${ID}@[::1]:1`)
  t.same(parseEnode(` enode://${ID.toUpperCase()}@10.0.0.1:5050?discport=0\n`), {
    id: ID,
    host: '10.0.0.1',
    port: 5050,
  })
  t.end()
})

t.test('what is none is refused with what is wrong', (t) => {
  const cases: [string, RegExp][] = [
    ['', /enode:\/\/<128 hex digits>@host:port expected/],
    [`http://${ID}@1.2.3.4:5`, /expected/],
    [`enode://${ID.slice(2)}@1.2.3.4:5`, /128 hex digits, this one 126 characters/],
    [`enode://${'zz'.repeat(64)}@1.2.3.4:5`, /128 hex digits/],
    [`enode://${'11'.repeat(64)}@1.2.3.4:5`, /no public key/],
    [`enode://${ID}@:5`, /no host/],
    [`enode://${ID}@2001:db8::1:5`, /expected/],
    [`enode://${ID}@[1.2.3.4]:5`, /is no host/],
    [`enode://${ID}@1.2.3.400:5`, /is no host/],
    [`enode://${ID}@-a.example:5`, /is no host/],
    [`enode://${ID}@1.2.3.4`, /port from 1 to 65535/],
    [`enode://${ID}@1.2.3.4:0`, /port from 1 to 65535/],
    [`enode://${ID}@1.2.3.4:65536`, /port from 1 to 65535/],
  ]
  for (const [text, message] of cases)
    t.throws(() => parseEnode(text), { name: EnodeError.name, message }, text)
  t.end()
})
