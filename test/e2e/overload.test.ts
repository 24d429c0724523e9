import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { startNode } from '../support/nodeProcess.ts'
import { SocketClient } from '../support/socketClient.ts'

const IDLE_SOCKETS = 300
const CLIENTS = 120
const ROUNDS = 5
const MEBIBYTE = 2 ** 20
/** More than what so many clients and sockets may come to, with all buffers of theirs. */
const MAX_GROWTH = 256 * MEBIBYTE

/** Hashes memory until its gas is used up, which keeps a worker busy for a while. */
const PLACE = `0x${'33'.repeat(20)}`
const LONG = [{ to: PLACE, gas: '0x4c4b40' }, 'latest', { [PLACE]: { code: '0x5b6204000060002050600056' } }]

interface Reply {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly answer: { readonly result?: unknown; readonly error?: { readonly code: number } }
}

/** Asks over one connection of an agent. @throws Error when the connection breaks */
function ask(url: string, agent: Agent, method: string, params: readonly unknown[]): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { agent, method: 'POST' }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.once('error', reject).once('end', () => {
        const retryAfter = response.headers['retry-after']
        resolve({ status: response.statusCode ?? 0, retryAfter, answer: JSON.parse(text) as Reply['answer'] })
      })
    })
    request.once('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  })
}

/** Resident bytes of a process; null where the system does not tell. */
function residentBytes(pid: number): number | null {
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return null
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]) * 1024
}

t.test('far more than the node can do: honest refusals, bounded memory, and it goes on', async (t) => {
  const folder = t.testdir({ data: {} })
  const keysFile = join(folder, 'keys.yaml')
  const hash = (key: string) => createHash('sha256').update(key).digest('hex')
  const entries = [
    { id: 'quiet', hash: hash('quiet-key') },
    { id: 'flood', hash: hash('flood-key'), rate: 50, burst: 100 },
    { id: 'heavy', hash: hash('heavy-key') },
  ]
  writeFileSync(keysFile, JSON.stringify(entries))
  const lanes = ['--workers', '1', '--lane-evm-queue', '8']
  const node = await startNode({
    dataDir: join(folder, 'data'),
    path: '/quiet-key',
    args: ['--profile', 'hosted', '--network', 'regtest', '--keys-file', keysFile, ...lanes],
  })
  t.teardown(() => node.stop('SIGKILL'))
  const { origin, port } = new URL(node.url)
  const sockets = await Promise.all(
    Array.from({ length: IDLE_SOCKETS }, () => SocketClient.open(Number(port), '/quiet-key')),
  )
  const before = residentBytes(node.pid)

  const replies: Reply[] = []
  const client = async (key: string, method: string, params: readonly unknown[]) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let round = 0; round < ROUNDS; round += 1) {
      replies.push(await ask(`${origin}/${key}`, agent, method, params))
    }
    agent.destroy()
  }
  const quiet = new Agent({ keepAlive: true, maxSockets: 1 })
  const storm = Promise.all(
    Array.from({ length: CLIENTS }, (_, i) =>
      i % 2 === 0
        ? client('flood-key', 'eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest'])
        : client('heavy-key', 'eth_call', LONG),
    ),
  )
  let isOver = false
  const over = storm.finally(() => {
    isOver = true
  })
  let most = before ?? 0
  let asked = 0
  while (!isOver) {
    const { status, answer } = await ask(node.url, quiet, 'eth_getBalance', [
      `0x${'22'.repeat(20)}`,
      'latest',
    ])
    if (status !== 200 || answer.result !== '0x0') t.fail('the quiet key is answered', { status, answer })
    most = Math.max(most, residentBytes(node.pid) ?? 0)
    asked += 1
  }
  await over
  quiet.destroy()
  t.ok(asked > 0)
  t.equal(replies.length, CLIENTS * ROUNDS, 'no connection was broken and no request left without an answer')
  const refused = replies.filter(({ status }) => status === 429)
  t.ok(refused.length > 0, 'some were refused')
  t.same(
    refused.filter(({ answer, retryAfter }) => answer.error?.code !== -32005 || !(Number(retryAfter) >= 1)),
    [],
    'with what to do about it',
  )
  // The call of the heavy key runs out of gas, or out of time.
  const others = new Set(
    replies.filter(({ status }) => status !== 429).map(({ answer }) => answer.error?.code ?? 'result'),
  )
  t.ok(others.has('result'))
  t.same(
    [...others].filter((code) => !['result', -32015, -32011].includes(code)),
    [],
  )
  if (before !== null) t.ok(most - before < MAX_GROWTH, `the memory grew by ${most - before} bytes`)

  const answers = await Promise.all(sockets.map((socket) => socket.ask('eth_chainId')))
  t.ok(
    answers.every(({ result }) => result === '0x21'),
    'every idle WebSocket is still there',
  )
  for (const socket of sockets) socket.close()
})
