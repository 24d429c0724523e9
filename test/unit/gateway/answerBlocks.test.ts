import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { blockNumberOf } from '../../../src/front/checks.ts'
import { unlimitedCaller } from '../../../src/gateway/access/caller.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import { openHeadScene, request } from '../../support/headScene.ts'

const resultOf = ({ text }: { text: string }): unknown => (JSON.parse(text) as { result: unknown }).result

t.test('answers of workers name the head of their snapshot, also before this thread knows it', async (t) => {
  const { ask, head, mine, reportHead } = openHeadScene(t)
  const latest = request('eth_getUncleCountByBlockNumber', ['latest'])
  t.equal((await ask(latest)).block?.number, 0)
  const hash = await mine()
  t.equal(head.block.number, 0, 'the front thread is still to be told')
  const early = await ask(request('eth_getBlockTransactionCountByNumber', ['0x1']))
  t.equal(resultOf(early), '0x1')
  t.same(early.block, { number: 1, hash })
  reportHead()
  t.same((await ask(request('eth_getUncleCountByBlockNumber', ['0x1']))).block, { number: 1, hash })
})

t.test('a response is cached for the head that it was given at', async (t) => {
  const { ask, gateway, head, mine } = openHeadScene(t)
  const body = request('eth_getBlockTransactionCountByNumber', ['latest'])
  await ask(body)
  await ask(body)
  t.equal(gateway.responseCache.hits, 1)
  await mine()
  // Whatever is read here at the next head ends what was cached for the last one.
  gateway.takeSnapshot()
  t.equal(head.block.number, 1)
  const { block } = await ask(body)
  t.equal(block?.number, 1)
  t.equal(gateway.responseCache.hits, 1)
})

t.test('a batch names the lowest block of its answers', async (t) => {
  const { ask, mine } = openHeadScene(t)
  const balance = request('eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest'], 1)
  await ask(balance)
  await mine()
  // This thread answers the balance at the head that it knows, a worker the count at the next one.
  const batch = ask(`[${balance},${request('eth_getUncleCountByBlockNumber', ['latest'], 2)}]`)
  const { text, block } = await batch
  t.match(text, /"id":1.*"id":2/)
  t.equal(block?.number, 0)
  t.equal((await ask(request('eth_getUncleCountByBlockNumber', ['0x0']))).block?.number, 1)
})

t.test('a request waits for its block, and no longer than it may', async (t) => {
  const { ask, gateway, mine, reportHead } = openHeadScene(t)
  t.equal(resultOf(await ask(request('eth_blockNumber'), { minBlock: 0 })), '0x0')
  const first = ask(request('eth_blockNumber'), { minBlock: 1 })
  const second = ask(request('eth_blockNumber'), { minBlock: 2 })
  t.equal(gateway.waitingForBlocks, 2)
  await mine()
  await turn()
  t.equal(gateway.waitingForBlocks, 2, 'the front thread is still to be told')
  reportHead()
  t.equal(resultOf(await first), '0x1')
  t.equal(gateway.waitingForBlocks, 1)
  const late = await second
  t.match(JSON.parse(late.text), { id: 1, error: { code: -32000, data: { minBlock: 2 } } })
  t.equal(late.status, 503)
  t.equal(gateway.waitingForBlocks, 0)
  const batch = await Promise.all([
    ask(`[${request('eth_blockNumber', [], 1)},${request('eth_chainId', [], 2)}]`, { minBlock: 9 }),
    Promise.resolve(gateway.abandon(new RpcError('stopping'))),
  ])
  t.match(JSON.parse(batch[0].text), [
    { id: 1, error: { code: -32005 } },
    { id: 2, error: { code: -32005 } },
  ])
})

t.test('what is a block number in a header', (t) => {
  for (const [text, number] of [
    ['0', 0],
    ['12', 12],
    ['007', 7],
    ['0x1', null],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    ['99999999999999999', null],
    ['9999999999999999', null],
    ['', null],
  ] as const) {
    t.equal(blockNumberOf(text), number, text)
  }
  t.end()
})

t.test('a key may refuse ranges beyond the head that the node cuts, whatever is cached', async (t) => {
  const refusing = unlimitedCaller('refusing')
  refusing.beyondHead = 'refuse'
  const scene = openHeadScene(t)
  const { ask, mine, reportHead, askAs } = scene
  await mine()
  reportHead()
  const beyond = request('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x9' }])
  const refusal = {
    error: {
      code: -32602,
      message: 'block range extends beyond current head block 0x1',
      data: { head: '0x1' },
    },
  }
  for (const round of ['first', 'cached']) {
    t.same(resultOf(await ask(beyond)), [], round)
    t.match(JSON.parse((await askAs(refusing, beyond)).text), refusal, round)
    const batch = await askAs(refusing, `[${beyond},${request('eth_chainId', [], 2)}]`)
    t.match(JSON.parse(batch.text), [refusal, { id: 2, result: '0x21' }], round)
  }
  for (const [range, isRefused] of [
    [{ fromBlock: '0x2' }, true],
    [{ fromBlock: '0x0', toBlock: '0x1' }, false],
    [{ fromBlock: '0x0', toBlock: 'latest' }, false],
    [{ fromBlock: '0x0', toBlock: 'pending' }, false],
    [{}, false],
  ] as const) {
    const answer = JSON.parse((await askAs(refusing, request('eth_getLogs', [range]))).text) as object
    t.equal('error' in answer, isRefused, JSON.stringify(range))
  }
  // A filter tells of what comes, and of what there is.
  const filter = resultOf(
    await askAs(refusing, request('eth_newFilter', [{ fromBlock: '0x0', toBlock: '0x9' }])),
  )
  t.match(filter, /^0x/)
  t.same(resultOf(await askAs(refusing, request('eth_getFilterLogs', [filter]))), [])
  const unknown = `0x${'44'.repeat(32)}`
  for (const round of ['first', 'again'])
    t.match(
      JSON.parse((await ask(request('eth_getLogs', [{ blockHash: unknown }]))).text),
      {
        error: { code: -32000, message: /unknown block/ },
      },
      round,
    )
})
