import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Log } from '../../../../src/chain/codec/receipt.ts'
import { DEFAULT_EVENT_LIMITS, FrontEvents } from '../../../../src/filters/frontEvents.ts'
import { EVENT_TEXTS } from '../../../../src/rpc/format/eventTexts.ts'
import { toHex } from '../../../../src/util/bytes.ts'
import { createLocalService, type LocalService } from '../../../support/ask.ts'
import {
  type BlockLogs,
  SyntheticChain,
  testAddress,
  testLog,
  testTopic,
} from '../../../support/syntheticChain.ts'

interface FoundLog {
  readonly logIndex: string
  readonly blockNumber: string
  readonly blockHash: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly address: string
  readonly data: string
  readonly topics: readonly string[]
  readonly removed: boolean
}

interface Answer {
  readonly result?: readonly FoundLog[]
  readonly error?: { readonly code: number; readonly message: string }
}

function openService(t: Test, chain: SyntheticChain, settings = {}): LocalService {
  const context = chain.context(settings)
  const front = new FrontEvents(context, EVENT_TEXTS, DEFAULT_EVENT_LIMITS)
  const service = createLocalService(
    { ...context, front },
    { onUnexpected: (_method, error) => t.error(error), responseCacheBytes: 0 },
  )
  t.teardown(() => service.close())
  return service
}

/** Asks twice: the second answer may be one of logs that are kept. */
function open(t: Test, chain: SyntheticChain, settings = {}) {
  const service = openService(t, chain, settings)
  return async (filter: unknown): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_getLogs', params: [filter] })
    const { text } = await service.ask(body)
    t.equal((await service.ask(body)).text, text)
    return JSON.parse(text) as Answer
  }
}

const hex = (value: number) => `0x${value.toString(16)}`
const one = (log: Log): BlockLogs => [[log]]

t.test('finds in a store what a scan of all receipts finds, over reorganisations', async (t) => {
  const log = fc
    .tuple(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4 }),
      fc.uint8Array({ maxLength: 3 }),
    )
    .map(([address, topics, data]) => testLog(address, topics, Buffer.from(data).toString('hex')))
  const block = fc.array(fc.array(log, { maxLength: 3 }), { maxLength: 3 })
  const branches = fc.array(fc.tuple(fc.nat(30), fc.array(block, { minLength: 1, maxLength: 8 })), {
    minLength: 1,
    maxLength: 5,
  })
  const alternatives = fc.oneof(
    fc.constant(null),
    fc.integer({ min: 1, max: 4 }),
    fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  )
  const query = fc.record({
    address: alternatives,
    topics: fc.array(alternatives, { maxLength: 4 }),
    from: fc.nat(20),
    length: fc.nat(20),
  })
  await fc.assert(
    fc.asyncProperty(branches, fc.array(query, { minLength: 1, maxLength: 6 }), async (grown, queries) => {
      const chain = new SyntheticChain(t)
      let canonical = [{ block: chain.genesis, logs: [] as BlockLogs }]
      for (const [depth, blocks] of grown) {
        const kept = canonical.slice(0, Math.max(1, canonical.length - depth))
        const parent = kept.at(-1)?.block ?? chain.genesis
        const made = chain.extend(parent, blocks)
        canonical = [...kept, ...made.map((block, index) => ({ block, logs: blocks[index] ?? [] }))]
        chain.moveHead(made.at(-1) ?? parent)
      }
      const ask = open(t, chain)
      for (const { address, topics, from, length } of queries) {
        const filter = {
          fromBlock: hex(from),
          toBlock: hex(from + length),
          address: pick(address, (index) => toHex(testAddress(index))),
          topics: topics.map((topic) => pick(topic, (index) => toHex(testTopic(index)))),
        }
        const expected = canonical
          .filter(({ block }) => block.number >= from && block.number <= from + length)
          .flatMap(({ block, logs }) =>
            logs
              .flatMap((own, transactionIndex) => own.map((log) => ({ block, log, transactionIndex })))
              .map((entry, logIndex) => ({ ...entry, logIndex })),
          )
          .filter(({ log }) => matches(log, address, topics))
          .map(({ block, log, transactionIndex, logIndex }) => ({
            logIndex: hex(logIndex),
            blockNumber: hex(block.number),
            blockHash: toHex(block.hash),
            transactionHash: toHex(block.transactions[transactionIndex]?.hash ?? Buffer.alloc(0)),
            transactionIndex: hex(transactionIndex),
            address: toHex(log.address),
            data: toHex(log.data),
            topics: log.topics.map(toHex),
            removed: false,
          }))
        t.strictSame((await ask(filter)).result, expected)
      }
    }),
    { numRuns: 25 },
  )
})

type Wanted = number | readonly number[] | null

function pick(wanted: Wanted, name: (index: number) => string): string | readonly string[] | null {
  if (wanted === null) return null
  return typeof wanted === 'number' ? name(wanted) : wanted.map(name)
}

function matches(log: Log, address: Wanted, topics: readonly Wanted[]): boolean {
  const any = (wanted: Wanted): readonly number[] | null =>
    wanted === null || (Array.isArray(wanted) && wanted.length === 0) ? null : ([wanted].flat() as number[])
  const isOne = (wanted: Wanted, value: Buffer | undefined, name: (index: number) => Buffer) => {
    const list = any(wanted)
    return list === null || (value !== undefined && list.some((index) => name(index).equals(value)))
  }
  return (
    isOne(address, log.address, testAddress) &&
    topics.every((topic, position) => isOne(topic, log.topics[position], testTopic))
  )
}

t.test('10,000 logs or 2,000 blocks, exactly', async (t) => {
  const chain = new SyntheticChain(t)
  // Five logs each up to height 2,000, one at 2,001, five again up to 2,100.
  chain.append(
    Array.from({ length: 2100 }, (_, index) => [
      Array.from({ length: index === 2000 ? 1 : 5 }, () => testLog(1, [1])),
    ]),
  )
  const ask = open(t, chain)
  const count = async (fromBlock: string, toBlock: string) =>
    (await ask({ fromBlock, toBlock })).result?.length ?? 'refused'
  t.equal(await count('0x1', hex(2000)), 10_000, '2,000 blocks, 10,000 logs')
  t.equal(await count('0x0', hex(2000)), 10_000, '2,001 blocks, 10,000 logs: block 0 has none')
  const refused = await ask({ fromBlock: '0x1', toBlock: hex(2001) })
  t.equal(refused.error?.code, -32012, '2,001 blocks, 10,001 logs')
  const [, from = '', to = ''] =
    /Try with this block range \[(0x[0-9a-f]+),\s*(0x[0-9a-f]+)\]/.exec(refused.error?.message ?? '') ?? []
  t.same([from, to], ['0x1', hex(2000)])
  t.equal(await count(from, to), 10_000)
  t.equal(await count('0x2', hex(2001)), 9996)
  t.equal(await count(hex(50), hex(2050)), 'refused', '2,001 blocks, 10,001 logs')
  t.equal(await count(hex(51), hex(2050)), 9996, '2,000 blocks')
  // Narrow ranges have no cap.
  const capped = open(t, chain, { logCount: 10 })
  t.equal((await capped({ fromBlock: hex(1), toBlock: hex(2000) })).result?.length, 10_000)
  t.equal((await capped({ fromBlock: hex(101), toBlock: hex(2100) })).result?.length, 9996)
  t.equal((await capped({ fromBlock: hex(100), toBlock: hex(2100) })).error?.code, -32012)
  // Ends beyond the head count only as far as there are blocks.
  t.equal((await capped({ fromBlock: hex(101), toBlock: '0xffffff' })).result?.length, 9996)
})

t.test('a range of 2,000 blocks may have more than 10,000 logs', async (t) => {
  const chain = new SyntheticChain(t)
  chain.append(
    Array.from({ length: 2001 }, (_, index) => [
      Array.from({ length: index === 0 ? 0 : 6 }, () => testLog(1)),
    ]),
  )
  const ask = open(t, chain)
  t.equal((await ask({ fromBlock: '0x2', toBlock: hex(2001) })).result?.length, 12_000)
  const wide = await ask({ fromBlock: '0x1', toBlock: hex(2001) })
  t.equal(wide.error?.code, -32012, 'an empty block more')
})

t.test('the range that an error names reaches as far as the logs allow', async (t) => {
  const chain = new SyntheticChain(t)
  chain.append(Array.from({ length: 300 }, (_, index) => (index % 10 === 0 ? one(testLog(1)) : [])))
  const ask = open(t, chain, { logBlocks: 20, logCount: 10 })
  const refused = await ask({ fromBlock: '0x5', toBlock: hex(300), address: toHex(testAddress(1)) })
  t.strictSame(refused.error, {
    code: -32012,
    message: `Filter returned more than 10 logs. Try with this block range [0x5, ${hex(110)}].`,
    data: { fromBlock: '0x5', toBlock: hex(110) },
  })
  t.equal((await ask({ fromBlock: '0x5', toBlock: hex(110) })).result?.length, 10)
  t.equal((await ask({ fromBlock: '0x5', toBlock: hex(111) })).error?.code, -32012)
})

t.test('the logs of a filter that are too many are refused with a range, too', async (t) => {
  const chain = new SyntheticChain(t)
  chain.append([1, 2, 3].map(() => one(testLog(1))))
  const service = openService(t, chain, { logBlocks: 2, logCount: 2 })
  const send = async (method: string, params: readonly unknown[]) =>
    JSON.parse((await service.ask(JSON.stringify({ id: 1, method, params }))).text) as Answer
  const { result: handle } = await send('eth_newFilter', [{ fromBlock: '0x1' }])
  t.match(await send('eth_getFilterLogs', [handle]), {
    error: {
      code: -32012,
      message: 'Filter returned more than 2 logs. Try with this block range [0x1, 0x2].',
    },
  })
})

t.test(
  'a wide range with more text than an answer may have is refused before it fills the memory',
  async (t) => {
    const chain = new SyntheticChain(t)
    chain.append(Array.from({ length: 50 }, () => one(testLog(1, [], 'ff'.repeat(5000)))))
    const ask = open(t, chain, { logBlocks: 10, answerBytes: 100_000 })
    t.match((await ask({ fromBlock: '0x1', toBlock: hex(50) })).error, {
      code: -32011,
      message: `Response size limit of 100000 bytes exceeded. Try with this block range [0x1, ${hex(10)}].`,
      data: { fromBlock: '0x1', toBlock: hex(10) },
    })
    t.equal((await ask({ fromBlock: '0x1', toBlock: hex(10) })).result?.length, 10)
  },
)

t.test('ranges, tags and block hashes', async (t) => {
  const chain = new SyntheticChain(t)
  const [first] = chain.append([one(testLog(1)), one(testLog(2)), one(testLog(3))])
  const side = chain.extend(first ?? chain.genesis, [one(testLog(9))])[0]
  const ask = open(t, chain)
  const addresses = async (filter: unknown) =>
    (await ask(filter)).result?.map(({ address }) => Number.parseInt(address.slice(2, 4), 16))
  t.same(await addresses({}), [3])
  t.same(await addresses({ fromBlock: 'earliest' }), [1, 2, 3])
  t.same(await addresses({ fromBlock: '0x1', toBlock: '0x2' }), [1, 2])
  t.same(await addresses({ fromBlock: '0x2', toBlock: '0x99' }), [2, 3])
  t.same(await addresses({ fromBlock: '0x4' }), [])
  t.same(await addresses({ fromBlock: '0x7', toBlock: '0x9' }), [])
  t.same(await addresses({ fromBlock: '0x4', toBlock: '0x3' }), [], 'what follows the head')
  t.same(await addresses({ fromBlock: '0x9', toBlock: '0x1' }), [])
  t.same(await addresses({ fromBlock: 'pending' }), [])
  t.equal((await ask({ fromBlock: '0x3', toBlock: '0x2' })).error?.code, -32602)
  t.same(await addresses({ blockHash: toHex(first?.hash ?? Buffer.alloc(32)) }), [1])
  t.same(await addresses({ blockHash: toHex(side?.hash ?? Buffer.alloc(32)) }), [9])
  t.match((await ask({ blockHash: toHex(Buffer.alloc(32)) })).error, {
    code: -32000,
    message: /^unknown block 0x00/,
  })
  t.same(
    await addresses({ blockHash: toHex(side?.hash ?? Buffer.alloc(32)), address: toHex(testAddress(1)) }),
    [],
  )
})

t.test('a long answer comes in pages; in a batch the limit on answers holds for it', async (t) => {
  const chain = new SyntheticChain(t)
  chain.append(Array.from({ length: 40 }, (_, index) => one(testLog(index + 1, [], 'ab'.repeat(20_000)))))
  const context = chain.context()
  const service = createLocalService(context, { answerBytes: 1_000_000 })
  const large = createLocalService(context, { answerBytes: 20_000_000 })
  t.teardown(() => service.close())
  t.teardown(() => large.close())
  const request = JSON.stringify({
    jsonrpc: '2.0',
    id: 'a',
    method: 'eth_getLogs',
    params: [{ fromBlock: '0x1' }],
  })
  const text = (await large.ask(request)).text
  const { id, result } = JSON.parse(text) as { id: string; result: readonly FoundLog[] }
  t.equal(id, 'a')
  t.same(
    result.map(({ blockNumber }) => Number(blockNumber)),
    Array.from({ length: 40 }, (_, index) => index + 1),
  )
  t.ok(result.every(({ data }) => data.length === 40_002))
  const [batched] = JSON.parse((await large.ask(`[${request}]`)).text) as [{ result: unknown }]
  t.strictSame(batched.result, result)
  const [refused] = JSON.parse((await service.ask(`[${request}]`)).text) as [Answer]
  t.equal(refused.error?.code, -32011)
})

t.test('kept logs of a short range are answered in the front thread', async (t) => {
  const chain = new SyntheticChain(t)
  // Blocks of one log, one of more than are kept for the sake of a few, one without any.
  const many = Array.from({ length: 100 }, (_, index) => testLog(index === 50 ? 1 : 2))
  chain.append([one(testLog(1)), one(testLog(2)), [[testLog(1), testLog(2)]], [], [many], one(testLog(1))])
  chain.append(Array.from({ length: 1200 }, () => []))
  const service = openService(t, chain, { logBlocks: 1100 })
  const pooled = () => service.dispatcher.stats()['scan']?.answered ?? 0
  const ask = async (filter: unknown) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_getLogs', params: [filter] })
    return JSON.parse((await service.ask(body)).text) as Answer
  }
  const isReady = async (filter: unknown) => {
    const before = pooled()
    const answer = await ask(filter)
    const isAnsweredHere = pooled() === before
    t.strictSame(await ask(filter), answer)
    return isAnsweredHere
  }
  const range = { fromBlock: '0x1', toBlock: '0x4' }
  t.notOk(await isReady(range), 'nothing is kept')
  t.ok(await isReady(range))
  t.ok(await isReady({ ...range, address: toHex(testAddress(1)) }))
  t.equal((await ask({ ...range, address: toHex(testAddress(2)) })).result?.length, 2)
  t.ok(await isReady({ ...range, address: toHex(testAddress(3)) }), 'no block may match')
  t.ok(await isReady({ fromBlock: '0x4', toBlock: '0x4' }))
  t.ok(await isReady({ fromBlock: '0x3', toBlock: '0x2' }), 'an error')
  t.same(await ask({ fromBlock: '0x3', toBlock: '0x2' }), {
    jsonrpc: '2.0',
    id: 7,
    error: { code: -32602, message: 'invalid block range: fromBlock 0x3 is after toBlock 0x2' },
  })
  const few = { fromBlock: '0x5', toBlock: '0x6', address: toHex(testAddress(1)) }
  for (let times = 0; times < 2; times += 1) t.notOk(await isReady(few), 'a block that is not kept')
  t.equal((await ask(few)).result?.length, 2)
  const long = { fromBlock: '0x1', toBlock: hex(1024), address: toHex(testAddress(2)) }
  t.notOk(await isReady(long))
  t.ok(await isReady(long), '1,024 blocks')
  for (let times = 0; times < 2; times += 1) {
    t.notOk(await isReady({ ...long, toBlock: hex(1025) }), 'a block more')
    const topics = [Array.from({ length: 17 }, (_, index) => toHex(testTopic(index)))]
    t.notOk(await isReady({ ...range, topics }), 'much to look up')
  }
})

t.test('kept logs are not those of a block that left the chain', async (t) => {
  const chain = new SyntheticChain(t)
  const [base] = chain.append([one(testLog(1))])
  const [left] = chain.extend(base ?? chain.genesis, [one(testLog(2))])
  const [right] = chain.extend(base ?? chain.genesis, [one(testLog(3)), one(testLog(4))])
  const service = openService(t, chain)
  const ask = async () => {
    const params = [{ fromBlock: '0x0' }]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_getLogs', params })
    const { result = [] } = JSON.parse((await service.ask(body)).text) as Answer
    return result.map(({ blockHash }) => blockHash)
  }
  const hashOf = (block = chain.genesis) => toHex(block.hash)
  for (const tip of [left, right, left, right]) {
    chain.moveHead(tip ?? chain.genesis)
    service.gateway.onChange()
    t.same(await ask(), [hashOf(base), hashOf(tip)])
    t.same(await ask(), [hashOf(base), hashOf(tip)])
  }
})

t.test('an answer longer than the memory that answers are put together in', async (t) => {
  const chain = new SyntheticChain(t)
  chain.append([one(testLog(1, [], 'ab'.repeat(300_000))), one(testLog(2, [], 'cd'.repeat(60_000)))])
  const ask = open(t, chain)
  t.equal((await ask({ fromBlock: '0x1' })).result?.length, 2)
  t.equal((await ask({ fromBlock: '0x2' })).result?.[0]?.data.length, 120_002)
})
