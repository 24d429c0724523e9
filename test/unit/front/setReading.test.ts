import type { WebSocket as ServerSocket, us_listen_socket } from 'uWebSockets.js'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { loadSocketLibrary } from '../../../src/front/socketLibrary.ts'
import { setReading, socketDescriptor } from '../../../src/native/socketBytes.ts'
import { createCertificate } from '../../support/certificate.ts'

/** More than the kernel takes of a connection whose client does not read, bytes. */
const BACKLOG = 64 * 1024 * 1024

const { App, SSLApp, us_listen_socket_close, us_socket_local_port } = loadSocketLibrary()

for (const scheme of ['ws', 'wss'] as const) {
  t.test(`${scheme}: a WebSocket is not read for a while, and nothing is lost`, (t) =>
    isReadByTurns(t, scheme),
  )
}

async function isReadByTurns(t: Test, scheme: 'ws' | 'wss'): Promise<void> {
  const received: string[] = []
  const sockets: ServerSocket<object>[] = []
  const { certificate, key } = createCertificate(t.testdir(), 'node')
  const app = scheme === 'ws' ? App() : SSLApp({ cert_file_name: certificate, key_file_name: key })
  const listening = await new Promise<us_listen_socket>((resolve) => {
    app
      .ws<object>('/*', {
        maxBackpressure: 0,
        open: (socket) => void sockets.push(socket),
        message: (_, message) => void received.push(Buffer.from(message).toString()),
      })
      .listen('127.0.0.1', 0, resolve)
  })
  const client = new WebSocket(`${scheme}://127.0.0.1:${us_socket_local_port(listening)}/`, {
    rejectUnauthorized: false,
  })
  t.teardown(() => {
    client.terminate()
    us_listen_socket_close(listening)
  })
  await once(client, 'open')
  const [socket] = sockets as [ServerSocket<object>]
  const descriptor = socketDescriptor(socket)
  if (descriptor === null) {
    t.not(process.platform, 'linux', 'a system whose sockets are not known')
    return
  }
  t.notOk(setReading(socket, descriptor + 1, false), 'another descriptor')
  t.ok(setReading(socket, descriptor, false))
  t.ok(setReading(socket, descriptor, false), 'twice')
  client.send('one')
  client.send('two')
  await sleep(100)
  t.same(received, [])
  t.ok(setReading(socket, descriptor, true))
  t.ok(setReading(socket, descriptor, true), 'twice')
  while (received.length < 2) await sleep(5)
  t.same(received, ['one', 'two'])

  // The library reads again by itself when it begins to wait until it can write.
  t.ok(setReading(socket, descriptor, false))
  client.pause()
  const large = Buffer.alloc(1024 * 1024)
  let sent = 0
  for (; socket.getBufferedAmount() < BACKLOG; sent += 1) socket.send(large, true)
  client.send('three')
  while (received.length < 3) await sleep(5)
  // It goes on to write while it does not read.
  t.ok(setReading(socket, descriptor, false))
  client.send('behind')
  await sleep(100)
  t.equal(received.length, 3)
  const answers: Buffer[] = []
  client.on('message', (data: Buffer) => answers.push(data))
  client.resume()
  while (answers.length < sent) await sleep(5)
  t.equal(socket.getBufferedAmount(), 0)
  client.send('four')
  t.ok(setReading(socket, descriptor, true))
  while (received.length < 5) await sleep(5)
  t.same(received, ['one', 'two', 'three', 'behind', 'four'])

  t.ok(setReading(socket, descriptor, false))
  const closed = once(client, 'close')
  socket.close()
  await closed
  t.throws(() => setReading(socket, descriptor, true), /closed/)
}
