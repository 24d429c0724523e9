import t from 'tap'
import { startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

const ORIGIN = 'https://app.example'
/** Answers with NUMBER: number of the block that a call sees. */
const NUMBER_OF_BLOCK = '0x4360005260206000f3'
const CONTRACT = `0x${'77'.repeat(20)}`
/** Blocks that are made while clients ask, by clients of their own. */
const BLOCKS = 60

interface HttpAnswer {
  readonly body: unknown
  readonly status: number
  readonly headers: Headers
}

t.test('headers name the block that an answer was given at, under a moving head', async (t) => {
  const node = await startNode({
    dataDir: testFolder(t),
    args: ['--profile', 'dev', '--block-headers', '--cors-origin', ORIGIN, '--beyond-head', 'refuse'],
  })
  t.teardown(() => node.stop())
  const post = async (body: unknown, headers: Record<string, string> = {}): Promise<HttpAnswer> => {
    const answer = await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { body: await answer.json(), status: answer.status, headers: answer.headers }
  }
  const call = (method: string, params: readonly unknown[] = [], id = 1) => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  })
  await node.request('hardhat_setCode', [CONTRACT, NUMBER_OF_BLOCK])
  await node.request('evm_mine')

  // Each says by itself which block it saw: by the front thread, the native core, workers, and in batches.
  const latest = ['latest', false]
  const state = [{ to: CONTRACT }, 'latest']
  const result = ({ body }: HttpAnswer): unknown => (body as { result: unknown }).result
  const numberOf = (value: unknown): number =>
    Number(typeof value === 'string' ? value : (value as { number: string }).number)
  const requests: (() => Promise<readonly [HttpAnswer, number]>)[] = [
    async () => {
      const answer = await post(call('eth_blockNumber'))
      return [answer, numberOf(result(answer))]
    },
    async () => {
      const answer = await post(call('eth_getBlockByNumber', latest))
      t.equal(answer.headers.get('x-block-hash'), (result(answer) as { hash: string }).hash)
      return [answer, numberOf(result(answer))]
    },
    async () => {
      const answer = await post(call('eth_getHeaderByNumber', ['latest']))
      t.equal(answer.headers.get('x-block-hash'), (result(answer) as { hash: string }).hash)
      return [answer, numberOf(result(answer))]
    },
    async () => {
      const answer = await post(call('eth_call', state))
      return [answer, numberOf(result(answer))]
    },
    async () => {
      const answer = await post(call('eth_simulateV1', [{ blockStateCalls: [{}] }, 'latest']))
      // The block that is simulated follows the one that was asked for.
      return [answer, numberOf((result(answer) as unknown[])[0]) - 1]
    },
    async () => {
      const answer = await post([
        call('eth_getHeaderByNumber', ['latest'], 1),
        call('eth_blockNumber', [], 2),
      ])
      const numbers = (answer.body as { result: unknown }[]).map(({ result }) => numberOf(result))
      return [answer, Math.min(...numbers)]
    },
  ]
  let isMining = true
  let wrong = 0
  const seen = new Set<number>()
  const clients = requests.map(async (ask) => {
    while (isMining) {
      const [answer, number] = await ask()
      const told = Number(answer.headers.get('x-block-number'))
      seen.add(told)
      if (told === number) continue
      wrong += 1
      t.fail(`${told} is told for block ${number}: ${JSON.stringify(answer.body).slice(0, 200)}`)
    }
  })
  for (let i = 0; i < BLOCKS; i += 1) await node.request('evm_mine')
  isMining = false
  await Promise.all(clients)
  t.equal(wrong, 0)
  t.ok(seen.size > BLOCKS / 10, `clients saw ${seen.size} heads`)

  const head = Number(await node.request<string>('eth_blockNumber'))
  const waits = post(call('eth_blockNumber'), { 'x-min-block': String(head + 1) })
  await node.request('evm_mine')
  t.match((await waits).body, { result: `0x${(head + 1).toString(16)}` })
  const late = await post([call('eth_blockNumber')], { 'x-min-block': String(head + 9) })
  t.match(late.body, [{ id: 1, error: { code: -32000, data: { minBlock: head + 9 } } }])
  const single = await post(call('eth_blockNumber', [], 5), { 'x-min-block': String(head + 9) })
  t.match(single, { status: 503, body: { id: 5, error: { code: -32000 } } })
  t.match(await post(call('eth_blockNumber'), { 'x-min-block': '0x1' }), {
    status: 400,
    body: { error: { code: -32600, message: /X-Min-Block/ } },
  })

  const page = await post(call('eth_blockNumber'), { origin: ORIGIN })
  t.equal(page.headers.get('access-control-expose-headers'), 'X-Block-Number, X-Block-Hash')
  const preflight = await fetch(node.url, {
    method: 'OPTIONS',
    headers: {
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-min-block',
    },
  })
  t.match(preflight.headers.get('access-control-allow-headers'), /x-min-block/)
  t.match((await post(call('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0xffffff' }]))).body, {
    error: { code: -32602, message: /beyond current head block/ },
  })
  t.equal((await post(call('rsk_getFleetStatus'))).headers.get('x-fleet'), null)
})
