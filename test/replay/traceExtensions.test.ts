import t, { type Test } from 'tap'
import { fromHex, toHex } from '../../src/util/bytes.ts'
import { createLocalService, type LocalService } from '../support/ask.ts'
import { readJsonLines } from '../support/jsonLines.ts'
import { vectorPath } from '../support/vectors.ts'
import { createExecutedSource } from './executedSource.ts'

/** What of a line of the chain file the tests need. */
interface RecordedLine {
  readonly main?: boolean
  readonly number: number
  readonly hash: string
  readonly rlp: string
  readonly txs: readonly { readonly hash: string; readonly rlp: string; readonly receiptRlp: string }[]
}

const TRANSFER = '0x5ad90e2a36a154732fdfbed519d72fdfba9969b96ee641be8b0d8194e240df75'
const NESTED = '0x96259488a82fc80abf2a5ae9f125783de79fefe4e1ecaa0c3ef6aef49f2151d1'
const TOKEN = '0x77045e71a7a2c50903d88e564cd72fab11e82051'
/** Receives the fees. */
const REMASC = '0x0000000000000000000000000000000001000008'
const HOLDER = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'

interface Asked {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function openService(t: Test): Promise<{
  readonly service: LocalService
  readonly ask: (method: string, ...params: readonly unknown[]) => Promise<Asked>
  readonly block: (number: number) => RecordedLine
}> {
  const path = vectorPath('rpc/chain-main.jsonl')
  const lines = readJsonLines(path) as RecordedLine[]
  const source = await createExecutedSource(path)
  t.teardown(() => source.close())
  const canonical = lines.filter(({ main }) => main === true)
  const context = source.at(canonical.at(-1)?.hash ?? '')
  if (context === null) throw new Error('no head')
  const service = createLocalService(context)
  t.teardown(() => service.close())
  return {
    service,
    ask: async (method, ...params) => {
      const { text } = await service.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      return JSON.parse(text) as Asked
    },
    block: (number) => {
      const found = canonical.find((line) => line.number === number)
      if (found === undefined) throw new Error(`no block ${number}`)
      return found
    },
  }
}

t.test("geth's tracers, simulated calls and raw records", async (t) => {
  const { ask, block } = await openService(t)

  await t.test('prestateTracer', async (t) => {
    const before = (await ask('debug_traceTransaction', TRANSFER, { tracer: 'prestateTracer' }))
      .result as Record<string, { balance: string; storage?: Record<string, string> }>
    t.same(Object.keys(before), [REMASC, TOKEN, HOLDER])
    t.equal(Object.keys(before[TOKEN]?.storage ?? {}).length, 2)
    const diff = (
      await ask('debug_traceTransaction', TRANSFER, {
        tracer: 'prestateTracer',
        tracerConfig: { diffMode: true },
      })
    ).result as { pre: Record<string, unknown>; post: Record<string, { storage: Record<string, string> }> }
    t.same(Object.keys(diff), ['post', 'pre'])
    const moved = Object.values(diff.post[TOKEN]?.storage ?? {}).map(BigInt)
    t.ok(moved.includes(0xa410n), 'the receiver has what was sent')
  })

  await t.test('4byteTracer', async (t) => {
    const { result } = await ask('debug_traceTransaction', NESTED, { tracer: '4byteTracer' })
    t.same(result, { '0x10b80908-32': 1, '0x61c09bf7-0': 1, '0x773acdef-32': 1 })
    const blocks = (await ask('debug_traceBlockByNumber', '0x8', { tracer: '4byteTracer' }))
      .result as unknown[]
    t.equal(blocks.length, block(8).txs.length)
  })

  await t.test('debug_traceCall and trace_call', async (t) => {
    const data = `0x70a08231${HOLDER.slice(2).padStart(64, '0')}`
    const called = (await ask('eth_call', { to: TOKEN, data }, 'latest')).result
    const nested = (await ask('debug_traceCall', { to: TOKEN, data }, 'latest', { tracer: 'callTracer' }))
      .result as { output: string; type: string }
    t.equal(nested.output, called)
    const flat = (await ask('trace_call', { to: TOKEN, data }, ['trace'])).result as {
      output: string
      trace: { result: { output: string }; blockHash?: string }[]
    }
    t.equal(flat.output, called)
    t.equal(flat.trace[0]?.result.output, called)
    t.notOk('blockHash' in (flat.trace[0] ?? {}))
    const overridden = (
      await ask('debug_traceCall', { to: TOKEN, data }, 'latest', {
        tracer: 'callTracer',
        stateOverrides: { [TOKEN]: { code: '0x602a5f5260205ff3' } },
      })
    ).result as { output: string }
    t.equal(BigInt(overridden.output), 42n)
    t.match(await ask('trace_call', { to: TOKEN }, ['vmTrace']), { error: { code: -32602 } })
  })

  await t.test('trace_filter with a mode, trace_get of a position by itself', async (t) => {
    const found = async (filter: object) => {
      const range = { fromBlock: '0x1', toBlock: '0x8' }
      const { result } = await ask('trace_filter', { ...range, ...filter })
      return (result as { transactionHash: string }[]).map(({ transactionHash }) => transactionHash)
    }
    const [fromHolder, toToken] = [{ fromAddress: [HOLDER] }, { toAddress: [TOKEN] }]
    const [from, to] = [await found(fromHolder), await found(toToken)]
    const lists = { ...fromHolder, ...toToken }
    const both = await found(lists)
    t.ok(both.length > 0 && both.length < from.length)
    t.same(await found({ ...lists, mode: 'intersection' }), both)
    t.same(await found({ ...lists, mode: null }), both)
    const either = await found({ ...lists, mode: 'union' })
    t.same(new Set(either), new Set([...from, ...to]))
    t.equal(either.length, from.length + to.length - both.length)
    t.same(await found({ ...fromHolder, mode: 'union' }), from)
    t.same(await found({ toAddress: [TOKEN], fromAddress: [], mode: 'union' }), to)
    t.same(await found({ mode: 'union' }), await found({}))
    t.match(await ask('trace_filter', { mode: 'either' }), { error: { code: -32602, message: /mode/ } })
    t.match(await ask('trace_filter', { foo: 1 }), { error: { code: -32602, message: /"foo"/ } })

    const first = await ask('trace_get', NESTED, ['0x0'])
    t.ok(first.result)
    t.same(await ask('trace_get', NESTED, '0x0'), first)
    for (const nothing of [null, '', []]) {
      t.match(await ask('trace_get', NESTED, nothing), {
        error: { code: -32602, message: "'positions' cannot be null or empty" },
      })
    }
  })

  await t.test('debug_getRaw*', async (t) => {
    const recorded = block(6)
    t.equal((await ask('debug_getRawBlock', '0x6')).result, recorded.rlp)
    const header = String((await ask('debug_getRawHeader', recorded.hash)).result)
    t.ok(recorded.rlp.includes(header.slice(2)))
    t.same(
      (await ask('debug_getRawReceipts', '0x6')).result,
      recorded.txs.map(({ receiptRlp }) => receiptRlp),
    )
    const [transaction] = recorded.txs
    t.equal((await ask('debug_getRawTransaction', transaction?.hash)).result, transaction?.rlp)
    t.equal((await ask('debug_getRawBlock', '0xffffff')).result, null)
    t.equal((await ask('debug_getRawTransaction', toHex(Buffer.alloc(32)))).result, null)
  })

  await t.test('what cannot be', async (t) => {
    t.match(await ask('debug_traceTransaction', TRANSFER, { tracer: '{step(){}}' }), {
      error: { code: -32602 },
    })
    t.match(await ask('trace_get', NESTED, ['0xff']), { error: { code: -32602 } })
    t.match(await ask('trace_filter', { count: -1 }), { error: { code: -32602 } })
    t.match(await ask('debug_traceBlockByHash', toHex(Buffer.alloc(32))), { result: null })
  })
})

t.test('a raised interrupt ends a trace and a filter', async (t) => {
  const source = await createExecutedSource(vectorPath('rpc/chain-main.jsonl'))
  t.teardown(() => source.close())
  const lines = readJsonLines(vectorPath('rpc/chain-main.jsonl')) as RecordedLine[]
  const head = lines.filter(({ main }) => main === true).at(-1)
  const context = source.at(head?.hash ?? '')
  if (context === null) throw new Error('no head')
  const transfer = context.chain.locateTransaction(fromHex(TRANSFER))
  const block = context.chain.blockByHash(transfer?.blockHash ?? Buffer.alloc(0))
  const parent = block === null ? null : context.chain.headerByHash(block.header.fields.parentHash)
  if (block === null || parent === null) throw new Error('no block')
  Atomics.store(context.interrupt.flags, context.interrupt.slot, 1)
  t.throws(() => context.tracing.block({ block, parent }, { tracer: 'flat' }), { code: 'Interrupted' })
})
