import t from 'tap'
import { SharedStats } from '../../../src/fork/sharedStats.ts'
import { Upstream, UpstreamRefusal } from '../../../src/fork/upstream.ts'
import { UpstreamAddresses } from '../../../src/fork/upstreamAddresses.ts'
import { createNode } from '../../../src/library/developmentNode.ts'
import { FaultyProxy } from '../../fork/faultyProxy.ts'

t.test('the first address that answers is asked, and is stayed with', async (t) => {
  const node = await createNode()
  t.teardown(() => node.stop())
  const [first, second] = [await FaultyProxy.open(node.url), await FaultyProxy.open(node.url)]
  t.teardown(() => Promise.all([first.close(), second.close()]))
  const stats = new SharedStats()
  const upstream = new Upstream([first.url, second.url], stats)
  let switches = 0
  upstream.onSwitch = () => {
    switches += 1
  }
  t.equal(await upstream.request('eth_chainId', []), '0x21')
  t.same([first.requests, second.requests, switches], [1, 0, 0])

  first.fault = () => ({ status: 502 })
  t.equal(await upstream.request('eth_chainId', []), '0x21')
  t.equal(await upstream.request('eth_chainId', []), '0x21')
  t.same([first.requests, second.requests, switches], [2, 2, 1])
  t.equal(stats.get('requests'), 4)
  t.equal(stats.get('retries'), 1)
  t.ok(stats.get('bytes') > 0)
  t.equal(new SharedStats(stats.buffer).get('requests'), 4, 'other threads see them')

  second.fault = () => ({ error: { code: -32005, message: 'rate limit exceeded' } })
  first.fault = () => null
  t.equal(await upstream.request('eth_chainId', []), '0x21', 'a limit in an answer counts as HTTP 429')

  first.fault = () => ({ error: { code: -32015, message: 'see https://rpc.example.org/secret' } })
  const before = stats.get('requests')
  const refusal = await upstream.request('eth_call', []).catch((error: unknown) => error)
  t.ok(refusal instanceof UpstreamRefusal)
  t.match(refusal, { rpcCode: -32015, message: 'see [address]' })
  t.equal(stats.get('requests'), before + 1, 'an error of the upstream is not asked for twice')
})

t.test('addresses are replaced for all threads, also while a request waits for its next try', async (t) => {
  const node = await createNode()
  t.teardown(() => node.stop())
  const [first, second] = [await FaultyProxy.open(node.url), await FaultyProxy.open(node.url)]
  t.teardown(() => Promise.all([first.close(), second.close()]))
  const addresses = new UpstreamAddresses([first.url])
  const elsewhere = new UpstreamAddresses(addresses.buffer)
  const upstream = new Upstream(elsewhere)
  let switches = 0
  upstream.onSwitch = () => {
    switches += 1
  }
  t.equal(await upstream.request('eth_chainId', []), '0x21')
  t.equal(elsewhere.urls, elsewhere.urls, 'nothing is read twice')
  first.fault = () => {
    addresses.replace([second.url])
    return { status: 502 }
  }
  t.equal(await upstream.request('eth_chainId', []), '0x21')
  t.same([first.requests, second.requests, switches], [2, 1, 1])
  t.same(elsewhere.urls, [second.url])
  t.throws(() => addresses.replace([`http://127.0.0.1/${'k'.repeat(20_000)}`]), RangeError)
  t.same(elsewhere.urls, [second.url], 'what is too long changes nothing')
  const long = [`http://127.0.0.1/${'k'.repeat(20_000)}`]
  t.same(new UpstreamAddresses(new UpstreamAddresses(long).buffer).urls, long, 'an option may be longer')
})

t.test('requests beyond what is allowed are refused with the number', async (t) => {
  const node = await createNode()
  t.teardown(() => node.stop())
  const proxy = await FaultyProxy.open(node.url)
  t.teardown(() => proxy.close())
  const upstream = new Upstream([proxy.url])
  upstream.allow(2)
  proxy.fault = () => (proxy.requests === 1 ? { status: 502 } : null)
  t.equal(await upstream.request('eth_chainId', []), '0x21', 'a repeated request counts twice')
  await t.rejects(upstream.request('eth_chainId', []), { code: 'LIMITED', message: /more than 2 requests/ })
  t.equal(proxy.requests, 2)
  upstream.allow(1)
  t.equal(await upstream.request('eth_chainId', []), '0x21')
})
