import { once } from 'node:events'
import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import { StableGasPrice } from '../../../src/mining/gasPriceSource.ts'
import { readRateFromContract } from '../../../src/mining/rateFromContract.ts'
import { fetchRateFromUrl } from '../../../src/mining/rateFromUrl.ts'
import { openLocalNode } from '../../support/localNode.ts'

function openPrice(fetchRate: () => Promise<bigint>) {
  const state = { now: 0, failures: [] as string[] }
  const price = new StableGasPrice({
    fallback: 7n,
    stablePrice: 4_265_280_000_000n,
    minimumRate: 1000n,
    maximumRate: 1_000_000n,
    refreshTime: 60_000,
    fetchRate,
    onFailure: ({ message }) => state.failures.push(message),
    now: () => state.now,
  })
  return { price, state }
}

t.test('the price follows the rate, within bounds, and never waits', async (t) => {
  let rate = 50_000n
  let fetched = 0
  const { price, state } = openPrice(async () => {
    fetched += 1
    return rate
  })
  t.equal(price.current(), 7n, 'no rate is known yet')
  t.equal(price.current(), 7n)
  t.equal(fetched, 1, 'one look at a time')
  await Promise.resolve()
  await Promise.resolve()
  t.equal(price.current(), 85_305_600n)
  rate = 100_000n
  t.equal(price.current(), 85_305_600n)
  t.equal(fetched, 1, 'the rate is young')
  state.now = 60_000
  price.current()
  await price.refresh()
  t.equal(price.current(), 42_652_800n)
  for (const refused of [999n, 1_000_001n, 0n, -5n]) {
    rate = refused
    await price.refresh()
    t.equal(price.current(), 42_652_800n)
    t.match(state.failures.at(-1), /a rate between 1000 and 1000000 expected/)
  }
  const before = fetched
  price.current()
  t.equal(fetched, before, 'a failure is not repeated at once')
  state.now += 30_000
  price.current()
  t.equal(fetched, before + 1)
})

async function serve(t: Test, answer: (path: string) => { status: number; body: string }): Promise<string> {
  const server = createServer((request, response) => {
    const { status, body } = answer(request.url ?? '')
    response.writeHead(status).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

t.test('a rate from a page', async (t) => {
  const pages: Record<string, string> = {
    '/ticker': '{"USD":{"buy":97123.99,"text":"42.5"},"a/b":[1,{"~":12}],"big":1e6,"none":"n/a"}',
    '/plain': '123',
    '/large': `"${'x'.repeat(1_100_000)}"`,
  }
  const url = await serve(t, (path) => {
    const body = pages[path]
    return body === undefined ? { status: 404, body: '' } : { status: 200, body }
  })
  const fetchRate = (path: string, pointer: string) =>
    fetchRateFromUrl({ url: `${url}${path}`, pointer, timeout: 2000 })
  t.equal(await fetchRate('/ticker', '/USD/buy'), 97_123n)
  t.equal(await fetchRate('/ticker', '/USD/text'), 42n)
  t.equal(await fetchRate('/ticker', '/a~1b/1/~0'), 12n)
  t.equal(await fetchRate('/ticker', '/big'), 1_000_000n)
  t.equal(await fetchRate('/plain', ''), 123n)
  for (const pointer of ['/none', '/EUR/buy', '/USD', '/constructor']) {
    await t.rejects(fetchRate('/ticker', pointer), { message: /has no number at/ })
  }
  await t.rejects(fetchRate('/missing', ''), { message: /status 404/ })
  await t.rejects(fetchRate('/large', ''), { message: /more than/ })
})

t.test('a page that does not answer', async (t) => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  await t.rejects(fetchRateFromUrl({ url: `http://127.0.0.1:${port}/`, pointer: '', timeout: 50 }))
})

t.test('a rate from a page moves the minimum gas price of blocks, within bounds', async (t) => {
  let rate = '"49999.5"'
  let asked = 0
  const url = await serve(t, () => {
    asked += 1
    return { status: 200, body: `{"USD":{"buy":${rate}}}` }
  })
  let now = 1_700_000_000_000
  let answered: () => void = () => undefined
  const failures: unknown[] = []
  const { core } = openLocalNode(
    t,
    {
      dataDir: t.testdir(),
      mining: false,
      minimumGasPrice: 1,
      stableGasPrice: 149_999,
      gasPriceRateUrl: url,
      gasPriceRatePointer: '/USD/buy',
      gasPriceRateRefreshTime: 60,
      gasPriceRateMinimum: 40_000,
      gasPriceRateMaximum: 60_000,
    },
    {
      now: () => now,
      listener: {
        onFailure: (error) => {
          failures.push(error)
          answered()
        },
      },
    },
  )
  const minimum = async (blocks: number) => {
    await core.mine({ count: blocks })
    return core.open.chain.head.fields.minimumGasPrice
  }
  t.equal(await minimum(1), 1n, 'the fixed price until there is a rate')
  while ((await minimum(1)) === 1n) await new Promise((resolve) => setTimeout(resolve, 5))
  // 149999 / 49999 = 3
  t.equal(await minimum(3), 3n)
  t.equal(asked, 1)
  rate = '70000'
  now += 60_000
  const refused = new Promise<void>((resolve) => {
    answered = resolve
  })
  t.equal(await minimum(1), 3n)
  await refused
  t.match(failures, [{ message: 'a rate between 40000 and 60000 expected, found 70000' }])
  t.equal(await minimum(2), 3n, 'the last price that was believed')
})

t.test('a rate from a contract moves the minimum gas price of blocks', async (t) => {
  const address = Buffer.alloc(20, 0xc1)
  // Answers the word 250000: PUSH3 250000, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN.
  const code = Buffer.from('6203d09060005260206000f3', 'hex')
  const failures: unknown[] = []
  const node = openLocalNode(
    t,
    {
      dataDir: t.testdir(),
      mining: false,
      stableGasPrice: 1_000_000,
      gasPriceRateContract: `0x${address.toString('hex')}`,
    },
    { listener: { onFailure: (error) => failures.push(error) } },
  )
  const { core, context } = node
  const minimum = () => core.open.chain.head.fields.minimumGasPrice
  await core.mine()
  t.equal(minimum(), 0n, 'no code, no rate')
  t.match(failures, [{ message: /instead of a rate/ }])
  await core.dev?.editAccount({ address, code })
  const rate = readRateFromContract(context.execution, core.open.chain.head, {
    address,
    caller: null,
    callData: Buffer.alloc(0),
  })
  t.equal(rate, 250_000n)
})

t.test('a contract that has the rate from the start', async (t) => {
  const address = Buffer.alloc(20, 0xc1)
  const code = Buffer.from('6203d09060005260206000f3', 'hex')
  let now = 1_700_000_000_000
  const { core } = openLocalNode(
    t,
    {
      dataDir: t.testdir(),
      mining: false,
      stableGasPrice: 1_000_000,
      gasPriceRateContract: `0x${address.toString('hex')}`,
      gasPriceRateRefreshTime: 1,
    },
    { now: () => now, listener: { onFailure: () => undefined } },
  )
  await core.dev?.editAccount({ address, code })
  const prices: (bigint | null)[] = []
  for (let count = 0; count < 7; count += 1) {
    now += 2000
    await core.mine()
    prices.push(core.open.chain.head.fields.minimumGasPrice)
  }
  // 1000000 / 250000 = 4, one wei per block.
  t.same(prices.slice(-3), [4n, 4n, 4n])
})
