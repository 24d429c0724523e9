import t from 'tap'
import { upstreamName, upstreamUrls, withoutUrls } from '../../../src/fork/upstreamName.ts'

t.test('of an address the host is told, and nothing that looks like a key', (t) => {
  t.equal(upstreamName('https://rpc.example.org/v3/0123456789abcdef?apikey=secret'), 'rpc.example.org')
  t.equal(upstreamName('https://user:secret@rpc.example.org:8545/'), 'rpc.example.org:8545')
  t.equal(upstreamName('https://0123456789abcdef0123456789abcdef.rpc.example.org'), '….rpc.example.org')
  t.equal(upstreamName('secret'), 'an address that is no URL')
  t.equal(withoutUrls('fetch of https://rpc.example.org/v3/secret failed'), 'fetch of [address] failed')
  t.same(upstreamUrls(' http://a/ , http://b/,'), ['http://a/', 'http://b/'])
  t.end()
})
