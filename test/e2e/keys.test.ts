import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { startNode } from '../support/nodeProcess.ts'
import { runInProcess } from '../support/program.ts'

const CHAIN_ID = { jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] }

/** @param path that opens the node while it starts: where there are keys, one of them */
async function openNode(t: Test, dataDir: string, path = '') {
  const node = await startNode({ dataDir, path, args: ['--log-level', 'trace', '--log-format', 'json'] })
  const { origin } = new URL(node.url)
  t.teardown(() => node.stop('SIGKILL'))
  const ask = async (path: string, body: unknown = CHAIN_ID) => {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, answer: (await response.json()) as object }
  }
  const usage = async (path: string) => {
    const response = await fetch(`${origin}${path}/usage`)
    return { status: response.status, usage: (await response.json()) as { today: { requests: number } } }
  }
  const until = async (path: string, status: number) => {
    const limit = Date.now() + 60_000
    let last = 0
    while (last !== status && Date.now() < limit) {
      last = (await ask(path)).status
      if (last !== status) await sleep(20)
    }
    t.equal(last, status)
  }
  return { node, ask, usage, until }
}

async function key(dataDir: string, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runInProcess(['key', ...words, '--data-dir', dataDir])
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}

t.test('keys that are made, limited, replaced and switched off while the node runs', async (t) => {
  const dataDir = t.testdir({})
  const { node, ask, usage, until } = await openNode(t, dataDir)
  const address = node.url.replace('http', 'ws')
  t.equal((await ask('/')).status, 200, 'open as long as there is no key')
  t.equal((await usage('')).status, 404)
  const secret = await key(dataDir, 'create', '--id', 'ada', '--rate', '1', '--burst', '20')
  await until('/', 401)
  t.equal((await ask(`/${secret}`)).status, 200)
  const other = await key(dataDir, 'create', '--id', 'bob', '--sockets', '1', '--rate', '1', '--burst', '1')
  await until(`/${other}`, 200)

  await t.test('over the rate', async (t) => {
    const many = Array.from({ length: 30 }, (_, id) => ({ ...CHAIN_ID, id }))
    const batch = await ask(`/${secret}`, many)
    t.equal(batch.status, 200)
    const answers = batch.answer as { id: number; error?: { code: number; data: { limit: string } } }[]
    t.equal(answers.length, 30)
    t.ok(answers.filter(({ error }) => error?.code === -32005).length >= 5)
    const refused = await ask(`/${secret}`, { ...CHAIN_ID, method: 'eth_getLogs', params: [{}] })
    t.equal(refused.status, 429)
    t.match(refused.answer, { id: 7, error: { code: -32005, data: { limit: 'rate', retryAfter: Number } } })
    const wait = Number(refused.headers.get('retry-after'))
    t.ok(wait >= 1 && wait <= 20, `${wait} seconds`)
    t.match(refused.headers.get('ratelimit-policy'), /^"rate";q=20;w=20$/)
    t.match(refused.headers.get('ratelimit'), /^"rate";r=\d+;t=\d+$/)
    await until(`/${secret}`, 200)
  })

  await t.test('a WebSocket that goes on over its limits is closed', async (t) => {
    const socket = new WebSocket(`${address}/${other}`)
    await once(socket, 'open')
    const second = new WebSocket(`${address}/${other}`)
    const [, response] = await once(second, 'unexpected-response')
    t.equal(response.statusCode, 429)
    t.ok(response.headers['retry-after'])
    let refusals = 0
    socket.on('message', (data) => {
      if (String(data).includes('-32005')) refusals += 1
    })
    const closed = once(socket, 'close')
    for (let id = 0; socket.readyState === WebSocket.OPEN; id += 1) {
      socket.send(JSON.stringify({ ...CHAIN_ID, id }))
      if (id % 50 === 49) await sleep(5)
    }
    const [code, reason] = await closed
    t.equal(code, 1008)
    t.equal(String(reason), 'goes on over its limits')
    t.ok(refusals >= 100)
  })

  await t.test('a replaced secret, and a key that is switched off', async (t) => {
    const socket = new WebSocket(`${address}/${secret}`)
    await once(socket, 'open')
    const closed = once(socket, 'close')
    const next = await key(dataDir, 'rotate', 'ada')
    const [code] = await closed
    t.equal(code, 1008)
    t.equal((await ask(`/${secret}`)).status, 401)
    await until(`/${next}`, 200)
    const graceful = await key(dataDir, 'rotate', 'ada', '--grace', '3600')
    await until(`/${graceful}`, 200)
    await until(`/${next}`, 200)
    await key(dataDir, 'disable', 'ada')
    await until(`/${graceful}`, 401)
    t.equal((await ask(`/${next}`)).status, 401)
    t.equal((await ask('/')).status, 401)
  })

  const { stdout, stderr } = await node.stop()
  t.notOk(
    `${stdout}${stderr}`.includes(secret) || `${stdout}${stderr}`.includes(other),
    'no secret is logged',
  )
})

t.test('usage that was shown is there after a kill, and the quota with it', async (t) => {
  const dataDir = t.testdir({})
  const secret = await key(dataDir, 'create', '--id', 'ada', '--daily-quota', '50')
  const path = `/${secret}`
  let used = 0
  for (let run = 0; run < 3; run += 1) {
    const { node, ask, usage } = await openNode(t, dataDir, path)
    // What the start of the node asked counts, too.
    const before = (await usage(path)).usage.today.requests
    t.ok(before > used && before <= used + 3, `${before} after ${used}`)
    await sleep(1100)
    for (let times = 0; times < 5; times += 1) t.equal((await ask(path)).status, 200)
    used = before + 5
    const left = { dailyQuota: 50 - used }
    t.match(await usage(path), { usage: { id: 'ada', today: { requests: used, cost: used }, left } })
    await node.stop('SIGKILL')
  }
  t.match(JSON.parse(await key(dataDir, 'usage', 'ada', '--json')), [
    { method: 'eth_chainId', requests: used },
  ])
  const { node, ask } = await openNode(t, dataDir, path)
  const cost = { ...CHAIN_ID, method: 'eth_getLogs', params: [{}] }
  t.equal((await ask(path, cost)).status, 200)
  const refused = await ask(path, cost)
  t.equal(refused.status, 429)
  t.match(refused.answer, { error: { data: { limit: 'dailyQuota' } } })
  t.match(refused.headers.get('ratelimit'), /^"daily";r=\d+;t=\d+$/)
  await node.stop('SIGTERM')
  const rows = JSON.parse(await key(dataDir, 'usage', 'ada', '--json')) as {
    method: string
    refused: number
  }[]
  t.match(
    rows.find(({ method }) => method === 'eth_getLogs'),
    { requests: 1, cost: 20, refused: 1 },
  )
})
