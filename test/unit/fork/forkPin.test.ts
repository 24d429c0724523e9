import t, { type Test } from 'tap'
import type { ForkBase } from '../../../src/fork/forkBase.ts'
import { blocksNamedIn, ForkPin, NO_EVIDENCE } from '../../../src/fork/forkPin.ts'
import { SharedStats } from '../../../src/fork/sharedStats.ts'
import { Upstream } from '../../../src/fork/upstream.ts'
import { FaultyProxy } from '../../fork/faultyProxy.ts'

const NUMBER = 100
/** The hash of a height on one of several branches. */
const hashOf = (number: number, branch = 'a') => `0x${branch}${number.toString(16).padStart(63, '0')}`
const blockOf = (number: number, branch = 'a') => ({
  number: `0x${number.toString(16)}`,
  hash: hashOf(number, branch),
  parentHash: hashOf(number - 1, branch),
})
const evidence = (answer: unknown) => ({
  blocks: blocksNamedIn(answer),
  isSettled: blocksNamedIn(answer).length > 0,
})

/** An upstream of made-up blocks on a branch that may change. */
async function openUpstream(t: Test) {
  const proxy = await FaultyProxy.open('http://127.0.0.1:1')
  t.teardown(() => proxy.close())
  const chain = { branch: 'a', proxy }
  proxy.fault = ({ method, params }) => {
    if (method === 'eth_getBlockByNumber')
      return { result: Number(params[0]) > 150 ? null : blockOf(Number(params[0]), chain.branch) }
    if (method === 'eth_call') return { error: { code: 3, message: 'execution reverted' } }
    if (method === 'eth_getBalance') return { result: chain.branch === 'a' ? '0x1' : '0x2' }
    return { error: { code: -32601, message: 'method not found' } }
  }
  return chain
}

function pinOf(urls: readonly string[], stats = new SharedStats()) {
  const base = { number: NUMBER, hash: hashOf(NUMBER), parentHash: hashOf(NUMBER - 1) } as ForkBase
  const upstream = new Upstream(urls, stats)
  const pin = new ForkPin({ base, upstream, stats })
  const block = (number: number) =>
    pin.ask(() => upstream.request('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]), evidence)
  const balance = () =>
    pin.ask(
      () => upstream.request('eth_getBalance', []),
      () => NO_EVIDENCE,
    )
  return { pin, upstream, block, balance }
}

t.test('what hashes settle is asked once, and the rest is looked at again', async (t) => {
  const { proxy } = await openUpstream(t)
  const { pin, upstream, block, balance } = pinOf([proxy.url])
  const asked = async (run: () => Promise<unknown>) => {
    const before = proxy.requests
    await run()
    return proxy.requests - before
  }
  t.equal(await asked(() => block(NUMBER)), 1, 'the block of the fork and its parent are known')
  t.equal(await asked(() => block(50)), 2)
  t.equal(await asked(() => block(50)), 1)
  t.equal(await asked(() => pin.hashAt(49)), 0, 'its parent is known as well')
  t.equal(await asked(balance), 2)
  t.equal(await asked(balance), 2, 'a number shows nothing')
  const looks = proxy.counts.get('eth_getBlockByNumber') ?? 0
  await Promise.all(Array.from({ length: 12 }, balance))
  t.ok((proxy.counts.get('eth_getBlockByNumber') ?? 0) - looks < 12, 'they share looks')
  t.equal(await asked(() => Promise.all([pin.hashAt(20), pin.hashAt(20)])), 2)
  t.equal(await pin.hashAt(20), hashOf(20))
  t.equal(
    await asked(() =>
      t.rejects(
        pin.ask(() => upstream.request('eth_call', []), evidence),
        { message: 'execution reverted' },
      ),
    ),
    2,
    'an error is an answer',
  )
  t.equal(
    await asked(() =>
      t.rejects(
        pin.ask(() => upstream.request('eth_other', []), evidence),
        /not found/,
      ),
    ),
    1,
    'a method that there is not says nothing',
  )
})

t.test('an answer of another branch is no answer, and ends all reading', async (t) => {
  for (const [name, run] of [
    ['a new block', ({ block }: ReturnType<typeof pinOf>) => block(70)],
    ['a known block', ({ block }: ReturnType<typeof pinOf>) => block(50)],
    ['the block of the fork', ({ block }: ReturnType<typeof pinOf>) => block(NUMBER)],
    ['a number', ({ balance }: ReturnType<typeof pinOf>) => balance()],
    ['a hash', ({ pin }: ReturnType<typeof pinOf>) => pin.hashAt(70)],
    [
      'an error',
      ({ pin, upstream }: ReturnType<typeof pinOf>) =>
        pin.ask(() => upstream.request('eth_call', []), evidence),
    ],
  ] as const) {
    await t.test(name, async (t) => {
      const chain = await openUpstream(t)
      const stats = new SharedStats()
      const parts = pinOf([chain.proxy.url], stats)
      await parts.block(50)
      chain.branch = 'b'
      await t.rejects(run(parts), { code: 'REORGANISED', message: /has another block 100 than the one/ })
      chain.branch = 'a'
      chain.proxy.counts.clear()
      const elsewhere = pinOf([chain.proxy.url], new SharedStats(stats.buffer))
      await t.rejects(elsewhere.balance(), { code: 'REORGANISED' }, 'also in other threads')
      t.equal(chain.proxy.requests, 0)
    })
  }
})

t.test('the address that answered is the one that is looked at', async (t) => {
  const [first, second] = [await openUpstream(t), await openUpstream(t)]
  const { balance } = pinOf([first.proxy.url, second.proxy.url])
  // The first one is on another branch, and fails before it can be looked at.
  first.branch = 'b'
  const { fault } = first.proxy
  first.proxy.fault = (request) =>
    request.method === 'eth_getBlockByNumber' ? { status: 502 } : fault(request)
  t.equal(await balance(), '0x1')
  t.same([first.proxy.counts.get('eth_getBalance'), second.proxy.counts.get('eth_getBalance')], [1, 1])
  second.proxy.fault = first.proxy.fault
  let turns = 0
  first.proxy.fault = second.proxy.fault = (request) => {
    turns += 1
    return request.method === 'eth_getBlockByNumber' && turns % 3 !== 0 ? { status: 502 } : fault(request)
  }
  first.branch = second.branch = 'a'
  await t.rejects(balance(), { code: 'DOWN', message: /fail by turns/ })
})

t.test('the blocks that an answer names', async (t) => {
  const [hash, parent] = [hashOf(7), hashOf(6)]
  t.same(blocksNamedIn({ number: '0x7', hash, parentHash: parent }), [
    { number: 7, hash },
    { number: 6, hash: parent },
  ])
  t.same(blocksNamedIn({ number: '0x0', hash, parentHash: parent }), [{ number: 0, hash }])
  t.same(
    blocksNamedIn([
      { blockNumber: '0x7', blockHash: hash, hash: parent },
      { blockNumber: 7, blockHash: hash },
      null,
    ]),
    [{ number: 7, hash }],
  )
  for (const none of [
    { blockNumber: '0x1', blockHash: `0x${'a'.repeat(1_000)}` },
    null,
    '0x',
    [],
    {},
    { blockNumber: null, blockHash: null },
    { number: '7x', hash },
  ])
    t.same(blocksNamedIn(none), [])
})
