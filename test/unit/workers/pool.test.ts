import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { keccak256 } from '../../../src/native/crypto.ts'
import { textOf } from '../../../src/rpc/json.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { preferencesOf } from '../../../src/rpc/preferences.ts'
import type { RequestPool } from '../../../src/workers/interface.ts'
import { InterruptTable } from '../../../src/workers/interrupts.ts'
import { LocalPool } from '../../../src/workers/local.ts'
import {
  decodeAnswers,
  decodeRequests,
  encodeAnswers,
  encodeRequests,
  NOT_RUN,
  type PoolAnswer,
  type PoolRequest,
} from '../../../src/workers/messages.ts'
import { type PooledOptions, PooledPool } from '../../../src/workers/pooled.ts'
import { WorkerEnd } from '../../../src/workers/workerEnd.ts'
import { type FixtureOptions, openNodeContext } from '../../support/chainContext.ts'

const HEAD = '0xd4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3'
const MODULE = new URL('../../support/chainContext.ts', import.meta.url).href
const MAX_ANSWER = 1_000_000

const numberOf = (name: string) => METHODS.findIndex((method) => method.name === name)
const request = (name: string, params: string, id = '1', slot = 1) => ({
  method: numberOf(name),
  slot,
  id,
  params,
  preferences: preferencesOf('reference', 'cut'),
})
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('utf8')

t.test('batches keep their requests and answers', (t) => {
  const requests = [request('eth_chainId', '', '"ü€"', 3), request('web3_sha3', '["0x😀"]', '2', 4)]
  requests.push({ ...request('eth_call', '[]', '3', 5), preferences: preferencesOf('geth', 'cut') })
  const inBytes = requests.map((one) => ({ ...one, params: Buffer.from(textOf(one.params)) }))
  t.same(decodeRequests(encodeRequests(requests)), inBytes)
  t.same(decodeRequests(encodeRequests(inBytes)), inBytes, 'as bytes, too')
  t.same(decodeRequests(encodeRequests([])), [])
  const answers = decodeAnswers(
    encodeAnswers(
      [
        { text: 'ü', status: 429 },
        { text: '', status: 200 },
      ],
      [1.5, 1e9],
      null,
    ),
  )
  t.same(
    answers.map(({ bytes, status, milliseconds }) => [text(bytes), status, milliseconds]),
    [
      ['ü', 429, 1.5],
      ['', 200, 0xffffffff / 1000],
    ],
  )
  t.end()
})

/** Asks again for what a batch that took long gave back. */
async function runAll(pool: RequestPool, requests: readonly PoolRequest[]): Promise<PoolAnswer[]> {
  const answers: PoolAnswer[] = []
  while (answers.length < requests.length) {
    // Their memory is that of the next answers.
    const found = (await pool.run(requests.slice(answers.length))).map((answer) => ({
      ...answer,
      bytes: Uint8Array.from(answer.bytes),
    }))
    const end = found.findIndex(({ status }) => status === NOT_RUN)
    answers.push(...(end < 0 ? found : found.slice(0, end)))
  }
  return answers
}

/** What every pool must do. */
function suite(name: string, create: (interrupts: InterruptTable) => RequestPool): void {
  t.test(name, async (t) => {
    const interrupts = new InterruptTable()
    const pool = create(interrupts)
    t.teardown(() => pool.close())
    const answers = await runAll(pool, [
      request('eth_blockNumber', ''),
      request('eth_getBlockTransactionCountByNumber', '["0x6"]', '"b"'),
      request('eth_getBlockByHash', '["0x0"]'),
      request('eth_getBalance', `["0x${'00'.repeat(20)}","latest"]`),
      request('web3_sha3', '["0x"'),
    ])
    t.equal(text(answers[0]?.bytes), '{"jsonrpc":"2.0","id":1,"result":"0x21"}')
    t.equal(text(answers[1]?.bytes), '{"jsonrpc":"2.0","id":"b","result":"0xb"}')
    t.match(text(answers[2]?.bytes), /-32602.*Invalid block hash: incorrect length/)
    t.match(text(answers[3]?.bytes), /-32603,"message":"Internal server error"}}$/)
    t.equal(answers[4]?.status, 400)
    const slot = interrupts.acquire() ?? 0
    interrupts.raise(slot, 'cancelled')
    const [cancelled] = await pool.run([request('eth_blockNumber', '', '1', slot)])
    t.match(text(cancelled?.bytes), /-32011/)
  })
}

suite('local', (interrupts) => {
  const context = openNodeContext({ head: HEAD }, { flags: new Int32Array(interrupts.shared), slot: 0 })
  return new LocalPool({
    context,
    methods: METHODS,
    maxAnswerBytes: MAX_ANSWER,
    reportsHead: false,
    onUnexpected: () => undefined,
  })
})

suite('pooled', (interrupts) => createPool(interrupts, { head: HEAD }))

t.test('a batch that takes long gives back what it did not begin', async (t) => {
  const pool = createPool(new InterruptTable(), { head: HEAD })
  t.teardown(() => pool.close())
  // Hashing half a MiB takes milliseconds.
  const long = request('web3_sha3', JSON.stringify([`0x${'ab'.repeat(2 ** 19)}`]))
  const found = await pool.run(Array.from({ length: 20 }, () => long))
  const begun = found.findIndex(({ status }) => status === NOT_RUN)
  t.ok(begun > 0, 'the first one is always run')
  t.ok(found.slice(0, begun).every(({ bytes }) => /"result":"0x/.test(text(bytes))))
  t.ok(found.slice(begun).every(({ status, bytes }) => status === NOT_RUN && bytes.length === 0))
})

t.test('a worker that dies takes only its batch along', async (t) => {
  const pool = createPool(new InterruptTable(), { head: HEAD, dieOnState: true })
  t.teardown(() => pool.close())
  await t.rejects(pool.run([request('eth_getBalance', `["0x${'00'.repeat(20)}","latest"]`)]))
  const [answer] = await pool.run([request('eth_chainId', '')])
  t.equal(text(answer?.bytes), '{"jsonrpc":"2.0","id":1,"result":"0x21"}')
})

t.test(
  'threads that are not permanent start when the others are busy, and end when they are idle',
  async (t) => {
    const pool = createPool(
      new InterruptTable(),
      { head: HEAD },
      { threads: 2, permanent: 1, idleMilliseconds: 50 },
    )
    t.teardown(() => pool.close())
    await pool.run([request('eth_chainId', '')])
    t.match(pool.stats(), { threads: 1, started: 1 })
    while (pool.stats().started < 2) {
      await Promise.all(Array.from({ length: 4 }, () => pool.run([request('eth_chainId', '')])))
    }
    while (pool.stats().threads > 1) await sleep(10)
    const [answer] = await pool.run([request('eth_chainId', '')])
    t.match(text(answer?.bytes), '0x21')
  },
)

function createPool(
  interrupts: InterruptTable,
  contextOptions: FixtureOptions,
  size: Pick<PooledOptions, 'threads' | 'permanent' | 'idleMilliseconds'> = { threads: 1 },
): PooledPool {
  return new PooledPool({
    ...size,
    onChainPort: (port) => port.close(),
    setup: {
      contextModule: MODULE,
      contextOptions,
      interrupts: interrupts.shared,
      maxAnswerBytes: MAX_ANSWER,
      reportsHead: false,
      niceness: 3,
    },
  })
}

t.test('the event loop of a worker turns while there is always work', async (t) => {
  const turns = new SharedArrayBuffer(4)
  const pool = createPool(new InterruptTable(), { head: HEAD, turns })
  t.teardown(() => pool.close())
  await pool.run([request('eth_chainId', '')])
  const turned = () => Atomics.load(new Int32Array(turns), 0)
  const before = turned()
  // Many more than it takes: an end for a worker that never turns.
  for (let batch = 0; batch < 20_000 && turned() < before + 3; batch += 1) {
    await pool.run([request('eth_chainId', '')])
  }
  t.ok(turned() >= before + 3, 'what is done after a turn, as freeing native memory, is done')
})

t.test('a worker in an endless loop is ended, and another takes its place', async (t) => {
  const pool = createPool(new InterruptTable(), { head: HEAD, freezeOnState: true })
  t.teardown(() => pool.close())
  await pool.run([request('eth_chainId', '')])
  const end = new WorkerEnd()
  const frozen = pool.run([request('eth_getBalance', `["0x${'00'.repeat(20)}","latest"]`)], end)
  setTimeout(() => end.abort('given up'), 100)
  await t.rejects(frozen, { name: 'AbortError' })
  const [answer] = await pool.run([request('eth_chainId', '')])
  t.equal(text(answer?.bytes), '{"jsonrpc":"2.0","id":1,"result":"0x21"}')
})

t.test('a batch whose worker is ended before it goes there is not run', async (t) => {
  const pool = createPool(new InterruptTable(), { head: HEAD })
  t.teardown(() => pool.close())
  const end = new WorkerEnd()
  end.abort('given up')
  await t.rejects(pool.run([request('eth_chainId', '')], end), { name: 'AbortError' })
  const [answer] = await pool.run([request('eth_chainId', '')], new WorkerEnd())
  t.equal(text(answer?.bytes), '{"jsonrpc":"2.0","id":1,"result":"0x21"}')
})

t.test('batches of every size that run at once have their own answers', async (t) => {
  const pool = createPool(new InterruptTable(), { head: HEAD })
  t.teardown(() => pool.close())
  const sha3 = (bytes: number, fill: number) => {
    const data = Buffer.alloc(bytes, fill)
    return {
      data,
      asked: request('web3_sha3', JSON.stringify([`0x${data.toString('hex')}`]), String(fill)),
    }
  }
  // More at once than there is memory for that is shared.
  const batches = [20, 40_000, 0, 300, 100_000, 21_000, 1].map((bytes, index) => [
    sha3(bytes, index),
    sha3(bytes + 1, index + 100),
  ])
  const answers = await Promise.all(
    batches.map(async (batch) => {
      const found = await runAll(
        pool,
        batch.map(({ asked }) => asked),
      )
      return found.map(({ bytes }) => text(bytes))
    }),
  )
  t.same(
    answers,
    batches.map((batch) =>
      batch.map(({ data, asked: { id } }) =>
        JSON.stringify({ jsonrpc: '2.0', id: Number(id), result: `0x${keccak256(data).toString('hex')}` }),
      ),
    ),
  )
})
