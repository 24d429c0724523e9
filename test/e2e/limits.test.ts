import t from 'tap'
import { startNode } from '../support/nodeProcess.ts'
import { SocketClient } from '../support/socketClient.ts'

/** Hashes a quarter of a MiB of memory again and again: a billion gas lasts many times the limit. */
const HASHES = { data: '0x5b6204000060002050600056', gas: '0x3b9aca00' }
const QUICK = { data: '0x602a60005260206000f3', gas: '0x186a0' }
const ANSWER = `0x${'2a'.padStart(64, '0')}`

t.test('work over its time limit is stopped, and work beyond the lane is refused', async (t) => {
  const node = await startNode({
    dataDir: t.testdir(),
    args: [
      ...['--workers', '1', '--call-gas-cap', '1000000000', '--lane-evm-timeout', '1'],
      ...['--lane-evm-queue', '1'],
    ],
  })
  t.teardown(() => node.stop())
  const ask = async (call: object) => {
    const response = await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'eth_call', params: [call, 'latest'] }),
    })
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      answer: (await response.json()) as object,
    }
  }
  const timedOut = {
    status: 200,
    answer: { jsonrpc: '2.0', id: 3, error: { code: -32011, message: 'Execution has got timeout out.' } },
  }
  for (let round = 0; round < 2; round += 1) {
    t.match(await ask(HASHES), timedOut)
    // Were the only worker still busy, this would be over its time as well.
    t.match(await ask(QUICK), { status: 200, answer: { id: 3, result: ANSWER } })
  }

  const crowd = await Promise.all(Array.from({ length: 6 }, () => ask(HASHES)))
  const refused = crowd.filter(({ status }) => status === 429)
  const served = crowd.filter(({ status }) => status === 200)
  t.ok(served.length === 1 || served.length === 2, 'one at work, and one waiting if it came in a later turn')
  for (const answered of served) t.match(answered, timedOut)
  t.equal(refused.length + served.length, crowd.length)
  for (const { retryAfter, answer } of refused) {
    t.equal(retryAfter, '1')
    t.match(answer, { jsonrpc: '2.0', id: 3, error: { code: -32005 } })
  }
  t.equal(await node.request('eth_blockNumber'), '0x0', 'other lanes go on')
  t.match(await ask(QUICK), { answer: { result: ANSWER } })

  const socket = await SocketClient.open(Number(new URL(node.url).port))
  t.match(await socket.ask('eth_call', HASHES, 'latest'), { error: { code: -32011 } })
  t.match(await socket.ask('eth_call', QUICK, 'latest'), { result: ANSWER })
  socket.close()
})
