import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { ReadingTurns } from '../../../src/front/readingTurns.ts'
import { UnfinishedMessage } from '../../../src/front/unfinishedMessages.ts'
import { MemoryAccount, MemoryTotal, UNLIMITED_MEMORY } from '../../../src/gateway/access/memoryAccount.ts'
import { frame, openRawWebSocket } from '../../abuse/rawWebSocket.ts'
import { openAccess } from '../../support/accessScene.ts'
import { openEventService } from '../../support/eventService.ts'
import { SyntheticChain } from '../../support/syntheticChain.ts'

const MIB = 1024 * 1024
// Twice what comes is charged.
const CLIENT_BYTES = 16 * MIB
const TOTAL_BYTES = 64 * MIB
const MAX_MESSAGE_BYTES = 5 * MIB
const FRAGMENT = 64 * 1024

// Starting workers takes seconds: all scenes are of one service.
const chain = new SyntheticChain(t)
const { admission } = openAccess([], {
  requireKey: 'never',
  memory: { client: CLIENT_BYTES, total: TOTAL_BYTES },
})
const { service } = await openEventService(t, chain, {
  admission,
  front: { maxBodyBytes: MAX_MESSAGE_BYTES },
})
const used = () => admission.stats(0).memory.used
const closed = () => service.stats().front.unfinished.closed

/** A socket of an address, on which the client writes frames by itself. */
async function openRaw(t: Test, localAddress: string): Promise<Socket> {
  const socket = await new Promise<Socket>((resolve) => {
    openRawWebSocket({ port: service.port, path: '/', localAddress }, resolve)
  })
  t.teardown(() => socket.destroy())
  return socket
}

async function openQuiet(t: Test, localAddress: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${service.port}/`, { localAddress })
  t.teardown(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

async function ask(socket: WebSocket, request: object): Promise<unknown> {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }))
  const [answer] = (await once(socket, 'message')) as [Buffer]
  return (JSON.parse(String(answer)) as { result: unknown }).result
}

const chainIdOn = (socket: WebSocket) => ask(socket, { method: 'eth_chainId', params: [] })

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20)
}

/** Most of a message, in fragments. */
function unended(bytes: number): Buffer {
  return Buffer.concat(
    Array.from({ length: Math.ceil(bytes / FRAGMENT) }, (_, i) =>
      frame(Buffer.alloc(FRAGMENT, 0x20), { opcode: i === 0 ? 'text' : 'continuation', isLast: false }),
    ),
  )
}

t.test('messages that do not end are bounded for a client, and nobody else is closed', async (t) => {
  const before = closed()
  const idle = await Promise.all(Array.from({ length: 20 }, () => openQuiet(t, '127.0.0.9')))
  const ownIdle = await openQuiet(t, '127.0.0.2')
  const pongs = frame(Buffer.alloc(0), { opcode: 'pong' })
  const sockets: Socket[] = []
  for (let i = 0; i < 12; i += 1) {
    const socket = await openRaw(t, '127.0.0.2')
    socket.write(unended(2.5 * MIB))
    socket.write(pongs)
    sockets.push(socket)
  }
  // At most three of them fit.
  await until(() => closed() - before >= 9)
  t.ok(used() <= CLIENT_BYTES, `${used()} bytes`)
  t.equal(closed() - before, 9)
  await until(() => sockets.filter(({ destroyed }) => !destroyed).length === 3)
  for (const socket of [...idle, ownIdle]) t.equal(await chainIdOn(socket), '0x21')
  for (const socket of sockets) socket.destroy()
  await until(() => used() === 0)
})

t.test('of the sockets of a client the one that has most is closed', async (t) => {
  const before = closed()
  const [large, small] = [await openRaw(t, '127.0.0.6'), await openRaw(t, '127.0.0.6')]
  large.write(unended(6 * MIB))
  await until(() => used() > 11 * MIB)
  small.write(unended(3 * MIB))
  await until(() => closed() - before === 1)
  await until(() => large.destroyed)
  await until(() => used() > 5 * MIB)
  t.notOk(small.destroyed)
  small.destroy()
  await until(() => used() === 0)
})

t.test('one frame whose last bytes never come is bounded for all clients together', async (t) => {
  const before = closed()
  const small = await openRaw(t, '127.0.0.20')
  small.write(unended(MIB / 2))
  const message = frame(Buffer.alloc(MAX_MESSAGE_BYTES - 10, 0x20), { announced: MAX_MESSAGE_BYTES })
  const sockets: Socket[] = []
  for (let i = 0; i < 12; i += 1) {
    const socket = await openRaw(t, `127.0.1.${i + 1}`)
    socket.write(message)
    sockets.push(socket)
  }
  // Three of ten MiB fit into half of the total.
  await until(() => closed() - before >= 9)
  t.ok(used() <= TOTAL_BYTES / 2, `${used()} bytes`)
  t.notOk(small.destroyed, 'the largest clients lose theirs')
  const light = await openQuiet(t, '127.0.0.9')
  t.equal(await chainIdOn(light), '0x21')
  for (const socket of [...sockets, small]) socket.destroy()
  await until(() => used() === 0)
})

t.test(
  'whoever finishes its messages is charged nothing, however many fragments and pongs they have',
  async (t) => {
    const before = closed()
    const sockets = await Promise.all(Array.from({ length: 50 }, () => openQuiet(t, '127.0.0.3')))
    const params = [`0x${'00'.repeat(100_000)}`]
    for (let round = 0; round < 3; round += 1)
      for (const socket of sockets) t.match(await ask(socket, { method: 'web3_sha3', params }), /^0x/)
    const raw = await openRaw(t, '127.0.0.3')
    for (let i = 0; i < 1000; i += 1) {
      raw.write(frame(Buffer.alloc(120), { opcode: 'pong' }))
      raw.write(frame(Buffer.from('['), { isLast: false }))
      raw.write(frame(Buffer.from(']'), { opcode: 'continuation' }))
    }
    // Longer than the node lets pass between two measurements.
    await sleep(6000)
    t.equal(used(), 0)
    t.equal(service.stats().front.unfinished.bytes, 0)
    t.equal(closed(), before)
    t.equal(await chainIdOn(sockets[0] as WebSocket), '0x21')
  },
)

t.test('beside many long messages that do not end, those of others come through', async (t) => {
  const before = closed()
  const sockets: Socket[] = []
  for (let i = 0; i < 40; i += 1) {
    const socket = await openRaw(t, `127.0.2.${(i % 8) + 1}`)
    socket.write(unended(4 * FRAGMENT))
    sockets.push(socket)
  }
  // Measured, they take turns.
  await until(() => service.stats().front.unfinished.bytes > 40 * 3 * FRAGMENT)
  const others = await Promise.all(Array.from({ length: 20 }, () => openQuiet(t, '127.0.0.5')))
  const hashes = others.map((socket) =>
    ask(socket, { method: 'web3_sha3', params: [`0x${'00'.repeat(200_000)}`] }),
  )
  for (const hash of await Promise.all(hashes)) t.match(hash, /^0x[0-9a-f]{64}$/)
  for (const socket of others) t.equal(await chainIdOn(socket), '0x21')
  t.equal(closed(), before)
  // They go on where they were.
  const answers = sockets.map(async (socket) => {
    const answer = once(socket, 'data')
    socket.write(frame(Buffer.from(' '), { opcode: 'continuation' }))
    const [data] = (await answer) as [Buffer]
    t.match(data.toString('latin1'), /-32700/)
  })
  await Promise.all(answers)
  t.equal(closed(), before)
  for (const socket of sockets) socket.destroy()
  await until(() => used() === 0)
})

t.test('what the heads of fragments take is not charged for ever', (t) => {
  const account = new MemoryAccount(new MemoryTotal(UNLIMITED_MEMORY))
  const message = new UnfinishedMessage(account, 1, new ReadingTurns(() => undefined), {
    close: () => t.fail('it is closed'),
    closeLargest: () => false,
    setReading: () => undefined,
  })
  let received = 500
  for (let round = 0; round < 10; round += 1) {
    // A thousand messages of one byte in ten fragments.
    for (let i = 0; i < 1000; i += 1) message.whole(10)
    received += 1000 * 10 * 7
    message.received(received)
    // No more than what came since the last measurement.
    t.ok(account.used <= 2 * 1000 * 10 * 7, `${account.used} bytes`)
  }
  message.received(received)
  message.whole(10)
  message.received(received + 16)
  t.equal(account.used, 0)
  message.received(received + 16 + 100_000)
  t.ok(account.used > 2 * 90_000 && account.used <= 2 * 100_000, `${account.used} bytes`)
  message.end()
  t.equal(account.used, 0)
  t.end()
})

t.test(
  'whoever sends many messages at once is read by turns, until it has sent few for a while',
  async (t) => {
    const turns = new ReadingTurns<UnfinishedMessage>((read) => {
      for (const message of read) message.received(received)
    })
    let received = 1000
    const open = () => {
      const socket = { isRead: true }
      const account = new MemoryAccount(new MemoryTotal(UNLIMITED_MEMORY))
      const message = new UnfinishedMessage(account, 1, turns, {
        close: () => t.fail('it is closed'),
        closeLargest: () => false,
        setReading: (isReading) => {
          socket.isRead = isReading
        },
      })
      return { message, socket }
    }
    const send = (message: UnfinishedMessage, messages: number) => {
      for (let i = 0; i < messages; i += 1) {
        message.whole(20)
        message.putOff()
      }
    }
    const sockets = Array.from({ length: 20 }, open)
    for (const { message } of sockets) send(message, 7)
    t.ok(sockets.every(({ socket }) => socket.isRead))
    for (const { message } of sockets) send(message, 1)
    t.equal(sockets.filter(({ socket }) => socket.isRead).length, 8)
    // The library reads one that has its turn later: it is paused again.
    const { message, socket } = sockets.at(-1) ?? open()
    socket.isRead = true
    send(message, 1)
    t.notOk(socket.isRead)
    socket.isRead = true
    message.drained()
    t.notOk(socket.isRead)
    for (const each of sockets)
      for (let i = 0; i < (each.message === message ? 9 : 8); i += 1) each.message.begun()
    // Its next messages come in turns, too.
    t.ok(turns.isBusy)
    const began = performance.now()
    while (turns.isBusy) await sleep(10)
    t.ok(performance.now() - began > 1500)
    received += 1
    for (const each of sockets) each.message.end()
  },
)

t.test('a message that is too long closes with 1009', async (t) => {
  const [long, longest] = [await openQuiet(t, '127.0.0.4'), await openQuiet(t, '127.0.0.4')]
  long.send(Buffer.alloc(MAX_MESSAGE_BYTES + 1, 0x20))
  const [code, reason] = (await once(long, 'close')) as [number, Buffer]
  t.equal(code, 1009)
  t.match(String(reason), /--max-body-size/)
  longest.send(Buffer.alloc(MAX_MESSAGE_BYTES, 0x20))
  const [answer] = (await once(longest, 'message')) as [Buffer]
  t.match(JSON.parse(String(answer)), { error: { code: -32700 } })
})
