import t, { type Test } from 'tap'
import { DEFAULT_EVENT_LIMITS, FrontEvents } from '../../../src/filters/frontEvents.ts'
import { planParts } from '../../../src/gateway/fanOut/partPlan.ts'
import type { SearchMembers } from '../../../src/gateway/fanOut/partRunner.ts'
import {
  type PartSearcher,
  type SharedSearchOptions,
  searchInParts,
} from '../../../src/gateway/fanOut/sharedSearch.ts'
import type { NodeContext, RpcSettings } from '../../../src/rpc/context.ts'
import { EVENT_TEXTS } from '../../../src/rpc/format/eventTexts.ts'
import { RawBytes } from '../../../src/rpc/json.ts'
import { partResult } from '../../../src/rpc/parts/partResult.ts'
import { InterruptTable } from '../../../src/workers/interrupts.ts'
import { createLocalService, type LocalService } from '../../support/ask.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { importRecordedChain } from '../../support/recordedDataDir.ts'
import { SyntheticChain, testAddress, testLog, testTopic } from '../../support/syntheticChain.ts'
import { testFolder } from '../../support/testFolder.ts'

const SEARCH = {
  method: 'part',
  from: 0,
  to: 99,
  leastBlocks: 1,
  most: 1000,
  part: (from: number, to: number) => `${from}-${to}`,
}

/** The numbers of the blocks of a part. */
async function numbers(params: string): Promise<Buffer> {
  const [from = 0, to = 0] = params.split('-').map(Number)
  const found = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const result = partResult(found.length, new RawBytes(Buffer.from(found.join(','))))
  const bytes = Buffer.alloc(result.length)
  result.moveTo(bytes, 0)
  return bytes
}

const ALL = Array.from({ length: 100 }, (_, index) => index).join(',')

async function search(options: Partial<SharedSearchOptions> = {}): Promise<string | null> {
  const found = await searchInParts({
    search: SEARCH,
    own: numbers,
    others: [],
    mostBytes: 10_000,
    hold: () => true,
    isGone: () => false,
    ...options,
  })
  return found?.map(String).join(',') ?? null
}

t.test('parts cover the range in order, however many there are', (t) => {
  for (const searchers of [1, 2, 3, 7, 50]) {
    const parts = planParts({ from: 5, to: 104 }, searchers, 10)
    t.ok(parts.length <= 10)
    t.same(
      parts.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index)),
      Array.from({ length: 100 }, (_, index) => index + 5),
    )
  }
  t.same(planParts({ from: 3, to: 3 }, 4, 10), [{ from: 3, to: 3 }])
  t.end()
})

t.test('elements come in the order of the blocks, whoever finds them when', async (t) => {
  const asked: string[] = []
  const slow: PartSearcher = async (params) => {
    asked.push(params)
    await new Promise((resolve) => setImmediate(resolve))
    return numbers(params)
  }
  t.equal(await search({ own: slow, others: [slow, numbers] }), ALL)
  t.ok(asked.length > 1)
})

t.test('what a member does not answer is done by another, and that member is asked no more', async (t) => {
  let tries = 0
  const dead: PartSearcher = async () => {
    tries += 1
    throw new Error('gone')
  }
  const garbled: PartSearcher = async () => Buffer.from('{"count":-1,"elements":[]}')
  t.equal(await search({ others: [dead, garbled] }), ALL)
  t.equal(tries, 1)
})

t.test('a part that comes back when the others have nothing left is done all the same', async (t) => {
  let fail: (error: Error) => void = () => undefined
  const late: PartSearcher = () =>
    new Promise((_, reject) => {
      fail = reject
    })
  const found = search({ others: [late] })
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
  fail(new Error('died in the middle'))
  t.equal(await found, ALL)
})

t.test('the request is answered as it came when this member fails, or there is too much', async (t) => {
  t.equal(await search({ own: async () => Promise.reject(new Error('too slow')), others: [numbers] }), null)
  t.equal(await search({ search: { ...SEARCH, most: 99 }, others: [numbers] }), null)
  t.equal(await search({ mostBytes: ALL.length - 100, others: [numbers] }), null)
  t.equal(await search({ hold: () => false, others: [numbers] }), null)
  t.equal(await search({ isGone: () => true }), null)
})

function open(t: Test, context: NodeContext, searchMembers?: SearchMembers): LocalService {
  const front = new FrontEvents(context, EVENT_TEXTS, DEFAULT_EVENT_LIMITS)
  const service = createLocalService(
    { ...context, front },
    {
      onUnexpected: (_method, error) => t.error(error),
      responseCacheBytes: 0,
      ...(searchMembers === undefined ? {} : { searchMembers }),
    },
  )
  t.teardown(() => service.close())
  return service
}

/** Two members of one chain, the first of which shares searches, beside a node on its own. */
function openMembers(t: Test, contextWith: (settings: Partial<RpcSettings>) => NodeContext) {
  const calls: string[] = []
  const other = open(t, contextWith({}), { others: async () => [], search: async () => Buffer.alloc(0) })
  const sharing = open(t, contextWith({ sharedBlocks: { logs: 10, traces: 10 }, logBlocks: 10 }), {
    others: async () => ['00'.repeat(8), '11'.repeat(8)],
    search: async (member, call) => {
      calls.push(member)
      if (member === '11'.repeat(8)) throw new Error('this one is dead')
      return other.gateway.answerPart(call)
    },
  })
  const alone = open(t, contextWith({ logBlocks: 10 }))
  return { sharing, alone, other, calls }
}

const ask = (method: string, filter: unknown, id = 7) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params: [filter] })

t.test('eth_getLogs that is shared has the bytes and the errors of a node on its own', async (t) => {
  const chain = new SyntheticChain(t)
  const blocks = Array.from({ length: 600 }, (_, index) =>
    index % 3 === 0 ? [[testLog(index % 5, [index % 7])]] : [],
  )
  chain.append(blocks)
  const { sharing, alone, calls } = openMembers(t, (settings) =>
    chain.context({ logCount: 150, ...settings }),
  )
  const address = `0x${testAddress(2).toString('hex')}`
  const filters = [
    { fromBlock: '0x1', toBlock: 'latest', address },
    { fromBlock: '0x0', toBlock: '0xffff', address, topics: [`0x${testTopic(3).toString('hex')}`] },
    { fromBlock: '0x20', toBlock: '0x130' },
    // More than a wide range may have.
    { fromBlock: '0x1', toBlock: 'latest' },
    { fromBlock: '0x100', toBlock: '0x1' },
    { fromBlock: '0x1f0', toBlock: '0x1f5' },
  ]
  const sizes: number[] = []
  for (const filter of filters) {
    const body = ask('eth_getLogs', filter)
    const { text } = await alone.ask(body)
    sizes.push(text.length)
    t.equal((await sharing.ask(body)).text, text)
  }
  t.ok(
    sizes.slice(0, 3).every((size) => size > 1000),
    'there are logs',
  )
  t.ok(calls.filter((member) => member.startsWith('0')).length > 3, 'parts went to the other member')
  t.ok(
    calls.some((member) => member.startsWith('1')),
    'and to one that did not answer',
  )
})

t.test('trace_filter that is shared has the bytes of a node on its own', async (t) => {
  const dataDir = testFolder(t)
  await importRecordedChain(dataDir)
  const { context } = openLocalNode(t, { dataDir })
  const withSettings = (settings: Partial<RpcSettings>): NodeContext => ({
    ...context,
    interrupt: { flags: new Int32Array(new InterruptTable().shared), slot: 0 },
    node: { ...context.node, settings: { ...context.node.settings, ...settings } },
  })
  const { sharing, alone, calls } = openMembers(t, withSettings)
  for (const filter of [{ fromBlock: '0x0' }, { fromBlock: '0x1', toBlock: '0x20' }]) {
    const body = ask('trace_filter', filter)
    const { text } = await alone.ask(body)
    t.match(text, /"traceAddress"/)
    t.equal((await sharing.ask(body)).text, text)
  }
  t.ok(calls.length > 0)
  const before = calls.length
  // A selection, one that is too long, one the wrong way round, one of either of two lists.
  const anyone = `0x${'5a'.repeat(20)}`
  for (const filter of [
    { fromBlock: '0x0', after: 2, count: 3 },
    { fromBlock: '0x9', toBlock: '0x1' },
    { fromBlock: '0x0', fromAddress: [anyone], toAddress: [anyone], mode: 'union' },
  ]) {
    const body = ask('trace_filter', filter)
    t.equal((await sharing.ask(body)).text, (await alone.ask(body)).text)
  }
  t.equal(calls.length, before, 'none is shared')
  const few = ask('trace_filter', { fromBlock: '0x0', count: 3 })
  t.equal((await sharing.ask(few)).text, (await alone.ask(few)).text)
})

t.test('a member answers parts alone, and those of its own chain alone', async (t) => {
  const chain = new SyntheticChain(t)
  chain.append([[]])
  const { other } = openMembers(t, (settings) => chain.context(settings))
  await t.rejects(other.gateway.answerPart(Buffer.from('eth_blockNumber\n[]')), {
    kind: 'invalidRequest',
    message: /./,
  })
  await t.rejects(other.gateway.answerPart(Buffer.from('')), { kind: 'invalidRequest', message: /./ })
  const part = { addresses: [], topics: [], from: 0, to: 1, tip: `0x${'ab'.repeat(32)}` }
  const call = Buffer.from(`internal_logsPart\n${JSON.stringify([part])}`)
  await t.rejects(other.gateway.answerPart(call), /unknown block/)
})
