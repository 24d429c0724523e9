import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { WebSocket } from 'ws'
import { openEventService } from '../../support/eventService.ts'
import { pauseUntilBehind, SocketClient } from '../../support/socketClient.ts'
import { SyntheticChain, testLog } from '../../support/syntheticChain.ts'

/** Close code of a client that does not read. */
const TOO_SLOW = 1008
const BACKLOG = 65_536
const LOG_DATA = 'ee'.repeat(200_000)
/** So many logs are more than what waits for a client and what the system's buffers take. */
const MANY = 60
/** So many pings, too; each is answered with as many bytes. */
const PINGS = 300_000
const PING_BYTES = 125

const closeCode = (socket: WebSocket) => once(socket, 'close').then(([code]) => Number(code))

// Starting workers takes seconds: all slow clients are those of one service.
const chain = new SyntheticChain(t)
chain.append(Array.from({ length: 15 }, () => [[testLog(1, [], LOG_DATA)]]))
const { service } = await openEventService(t, chain, { front: { maxSocketBacklog: BACKLOG } })
const quick = await SocketClient.open(service.port)
t.teardown(() => quick.close())

t.test('a subscriber that does not read is cut off with a code; the others go on', async (t) => {
  const slow = await SocketClient.open(service.port)
  await slow.subscribe('logs', {})
  const heads = await quick.subscribe('newHeads')
  slow.socket.pause()
  const closed = closeCode(slow.socket)
  const blocks = chain.extend(
    chain.reader.blockByNumber(15) ?? chain.genesis,
    Array.from({ length: MANY }, () => [[testLog(1, [], LOG_DATA)]]),
  )
  for (const block of blocks) service.headChanged(chain.moveHead(block))
  await quick.untilNotifications(MANY)
  slow.socket.resume()
  t.equal(await closed, TOO_SLOW)
  const { length } = slow.notifications
  t.ok(length > 0 && length < MANY, `${length} notifications waited, the rest was never kept`)
  t.match(await quick.ask('eth_unsubscribe', heads), { result: true })
})

t.test(
  'a client that asks much at once and does not read is cut off with a code; the others go on',
  async (t) => {
    const slow = await SocketClient.open(service.port)
    const ask = (client: SocketClient) => client.ask('eth_getLogs', { fromBlock: '0x1', toBlock: '0x1' })
    let answers = 0
    slow.socket.on('message', () => {
      answers += 1
    })
    slow.socket.pause()
    const closed = closeCode(slow.socket)
    for (let count = 0; count < MANY; count += 1) void ask(slow)
    // These are answered behind those.
    for (let count = 0; count < 5; count += 1) t.equal(((await ask(quick)).result as unknown[]).length, 1)
    slow.socket.resume()
    t.equal(await closed, TOO_SLOW)
    t.ok(answers > 0 && answers < MANY, `${answers} answers waited, the rest was never kept`)
  },
)

t.test('a client that does not read is answered no further until it reads', async (t) => {
  const slow = await SocketClient.open(service.port)
  await pauseUntilBehind(service, slow, 'eth_getLogs', { fromBlock: '0x1', toBlock: '0x1' })
  const before = service.stats().front
  const asked = Array.from({ length: 100 }, () => slow.ask('eth_chainId'))
  while (service.stats().front.messages < before.messages + 100) await nextTurn()
  for (let count = 0; count < 5; count += 1) t.match(await quick.ask('eth_chainId'), { result: '0x21' })
  t.equal(service.stats().front.exchanges, before.exchanges + 100, 'all of them wait')
  slow.socket.resume()
  for (const answer of await Promise.all(asked)) t.match(answer, { result: '0x21' })
  slow.close()
})

t.test('one answer may be larger than what may wait, and the close code still comes', async (t) => {
  const slow = await SocketClient.open(service.port)
  const ask = async (client: SocketClient) => {
    const { result } = await client.ask('eth_getLogs', { fromBlock: '0x1', toBlock: '0xf' })
    return (result as unknown[]).length
  }
  t.equal(await ask(slow), 15)
  slow.socket.pause()
  const closed = closeCode(slow.socket)
  for (let count = 0; count < 10; count += 1) void ask(slow)
  t.equal(await ask(quick), 15)
  slow.socket.resume()
  t.equal(await closed, TOO_SLOW)
})

t.test('what answers a flood of pings is not kept for a client that does not read', async (t) => {
  const socket = new WebSocket(`ws://127.0.0.1:${service.port}/`)
  await once(socket, 'open')
  t.teardown(() => socket.terminate())
  socket.on('error', () => undefined)
  let pongs = 0
  socket.on('pong', () => {
    pongs += 1
  })
  socket.pause()
  const closed = once(socket, 'close')
  const payload = Buffer.alloc(PING_BYTES)
  for (let sent = 0; sent < PINGS && socket.readyState === WebSocket.OPEN; sent += 1) {
    socket.ping(payload)
    // The service runs in this thread.
    if (sent % 1000 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  socket.resume()
  await closed
  t.ok(pongs < PINGS, `${pongs} pongs`)
  t.match(await quick.ask('net_version'), { result: /^\d+$/ })
})

t.test('pings keep a client that answers them; one that does not is let go', async (t) => {
  const chain = new SyntheticChain(t)
  const { service } = await openEventService(t, chain, { front: { socketIdleSeconds: 8 } })
  const url = `ws://127.0.0.1:${service.port}/`
  const [living, dead] = [new WebSocket(url), new WebSocket(url, { autoPong: false })]
  t.teardown(() => living.terminate())
  await Promise.all([once(living, 'open'), once(dead, 'open')])
  let pings = 0
  living.on('ping', () => {
    pings += 1
  })
  await once(dead, 'ping')
  await once(dead, 'close')
  t.ok(pings > 0)
  t.equal(living.readyState, WebSocket.OPEN)
  living.send('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}')
  t.match(String((await once(living, 'message'))[0]), /"result":"0x0"/)
})
