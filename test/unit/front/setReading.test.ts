import type { WebSocket as ServerSocket, us_listen_socket } from 'uWebSockets.js'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { WebSocket } from 'ws'
import { loadSocketLibrary } from '../../../src/front/socketLibrary.ts'
import { setReading, socketDescriptor } from '../../../src/native/socketBytes.ts'

const { App, us_listen_socket_close, us_socket_local_port } = loadSocketLibrary()

t.test('a WebSocket is not read for a while, and nothing is lost', async (t) => {
  const received: string[] = []
  const sockets: ServerSocket<object>[] = []
  const listening = await new Promise<us_listen_socket>((resolve) => {
    App()
      .ws<object>('/*', {
        maxBackpressure: 0,
        open: (socket) => void sockets.push(socket),
        message: (_, message) => void received.push(Buffer.from(message).toString()),
      })
      .listen('127.0.0.1', 0, resolve)
  })
  const client = new WebSocket(`ws://127.0.0.1:${us_socket_local_port(listening)}/`)
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

  // The library waits to write what the client does not read, and reads meanwhile.
  t.ok(setReading(socket, descriptor, false))
  client.pause()
  const large = Buffer.alloc(1024 * 1024)
  let sent = 0
  for (; socket.getBufferedAmount() === 0; sent += 1) socket.send(large, true)
  client.send('three')
  while (received.length < 3) await sleep(5)
  const answers: Buffer[] = []
  client.on('message', (data: Buffer) => answers.push(data))
  client.resume()
  while (answers.length < sent) await sleep(5)
  t.equal(socket.getBufferedAmount(), 0)
  client.send('four')
  while (received.length < 4) await sleep(5)
  t.same(received, ['one', 'two', 'three', 'four'])

  t.ok(setReading(socket, descriptor, false))
  const closed = once(client, 'close')
  socket.close()
  await closed
  t.notOk(setReading(socket, descriptor, true), 'it is closed')
})
