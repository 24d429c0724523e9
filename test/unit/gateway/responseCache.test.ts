import t from 'tap'
import type { NodeContext } from '../../../src/rpc/context.ts'
import { defineMethod } from '../../../src/rpc/defineMethod.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import type { RpcResult } from '../../../src/rpc/json.ts'
import { data } from '../../../src/rpc/params/hex.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { createLocalService } from '../../support/ask.ts'
import { createChainContext } from '../../support/chainContext.ts'
import { RecordedChain } from '../../support/recordedChain.ts'
import { readVectorLines } from '../../support/vectors.ts'

const HEAD = Buffer.from('d4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3', 'hex')
const context = createChainContext(new RecordedChain(readVectorLines('rpc/chain-main.jsonl')).readerAt(HEAD))

/** A service with one method whose runs are counted. */
function createService(
  answer: (bytes: Buffer) => RpcResult,
  responseCacheBytes?: number,
  used: NodeContext = context,
) {
  const counter = { runs: 0 }
  const method = defineMethod({
    name: 'test_read',
    doc: '',
    params: [data()],
    result: {},
    lane: 'read',
    cost: 1,
    cache: 'head',
    handler: (_context, [bytes]) => {
      counter.runs += 1
      return answer(bytes)
    },
  })
  const service = createLocalService(used, {
    methods: [method],
    ...(responseCacheBytes === undefined ? {} : { responseCacheBytes }),
  })
  const ask = async (params: string, id = '1') =>
    (await service.ask(`{"jsonrpc":"2.0","id":${id},"method":"test_read","params":${params}}`)).text
  return { counter, service, ask }
}

t.test('an answer is kept until the head changes, whatever the id', async (t) => {
  const { counter, service, ask } = createService(toHex)
  t.teardown(() => service.close())
  t.equal(await ask('["0x01"]'), '{"jsonrpc":"2.0","id":1,"result":"0x01"}')
  t.equal(await ask('["0x01"]', '"long id"'), '{"jsonrpc":"2.0","id":"long id","result":"0x01"}')
  t.equal(await ask('["0x02"]', '7'), '{"jsonrpc":"2.0","id":7,"result":"0x02"}')
  t.equal(counter.runs, 2)
  service.gateway.onStatusChange()
  await ask('["0x01"]')
  t.equal(counter.runs, 2)
  service.gateway.onChange()
  t.equal(await ask('["0x01"]', '-3'), '{"jsonrpc":"2.0","id":-3,"result":"0x01"}')
  t.equal(counter.runs, 3)
})

t.test('what is asked right after a change of the head is of one moment', async (t) => {
  let refreshes = 0
  const refresh = () => {
    refreshes += 1
  }
  const method = defineMethod({
    name: 'test_moment',
    doc: '',
    params: [],
    result: {},
    lane: 'inline',
    cost: 1,
    cache: 'none',
    handler: () => refreshes,
  })
  const service = createLocalService({ ...context, refresh }, { methods: [method] })
  t.teardown(() => service.close())
  service.gateway.onChange()
  const before = refreshes
  // Whoever follows the change has given the context back by now.
  const { text } = await service.ask('{"jsonrpc":"2.0","id":1,"method":"test_moment","params":[]}')
  t.equal(text, `{"jsonrpc":"2.0","id":1,"result":${before + 1}}`)
})

t.test('an answer from before the change is not kept after it', async (t) => {
  const { counter, service, ask } = createService(toHex)
  t.teardown(() => service.close())
  const asked = ask('["0x01"]')
  service.gateway.onChange()
  await asked
  await ask('["0x01"]')
  t.equal(counter.runs, 2)
})

t.test('what can change without the head is not kept', async (t) => {
  const refuse = () => {
    throw new RpcError('notFound')
  }
  const answers = [() => null, () => ({ hash: '0x', blockNumber: null }), refuse]
  for (const answer of answers) {
    const { counter, service, ask } = createService(answer)
    t.equal(await ask('["0x01"]'), await ask('["0x01"]'))
    t.equal(counter.runs, 2)
    service.close()
  }
  const { counter, service, ask } = createService(toHex)
  t.teardown(() => service.close())
  for (const params of ['["pending"]', '["\\u0030x01"]']) {
    await ask(params)
    await ask(params)
  }
  t.equal(counter.runs, 2, 'of what looks like the pending block, and escapes')
})

t.test('nothing is kept without room', async (t) => {
  const { counter, service, ask } = createService(toHex, 0)
  t.teardown(() => service.close())
  await ask('["0x01"]')
  await ask('["0x01"]')
  t.equal(counter.runs, 2)
})

t.test('the oldest go first, and no answer takes most of the room', async (t) => {
  const { counter, service, ask } = createService(toHex, 4000)
  t.teardown(() => service.close())
  const params = (i: number) => `["0x${i.toString(16).padStart(100, '0')}"]`
  for (let i = 0; i < 40; i++) await ask(params(i))
  t.equal(counter.runs, 40)
  await ask(params(39))
  t.equal(counter.runs, 40)
  await ask(params(0))
  t.equal(counter.runs, 41)
  const large = `["0x${'ab'.repeat(500)}"]`
  await ask(large)
  await ask(large)
  t.equal(counter.runs, 43)
})
