import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import t, { type Test } from 'tap'
import { AnswerPacer } from '../../../src/front/answerPacer.ts'
import { FrontMetrics } from '../../../src/front/frontMetrics.ts'
import { HttpExchange } from '../../../src/front/httpExchange.ts'
import { NO_PAGE } from '../../../src/front/origins.ts'
import { loadSocketLibrary } from '../../../src/front/socketLibrary.ts'

const { App, us_listen_socket_close, us_socket_local_port } = loadSocketLibrary()

const MIB = 2 ** 20
const LARGE = pattern(9 * MIB + 3)

/** Bytes of which no piece is like another. */
function pattern(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32BE((at * 2654435761) % 2 ** 32, at)
  return bytes
}

interface Server {
  readonly port: number
  readonly metrics: FrontMetrics
}

/** Answers `/whole` and `/text` at once, `/pages` in pages, and `/small` with little. */
async function openServer(t: Test): Promise<Server> {
  const [metrics, turns] = [new FrontMetrics(), new AnswerPacer()]
  const app = App()
  app.get('/*', (response, incoming) => {
    const exchange = new HttpExchange(
      response,
      NO_PAGE,
      null,
      { metrics, pacer: turns, headers: null },
      null,
      null,
    )
    response.onAborted(() => exchange.aborted())
    const path = incoming.getUrl()
    if (path === '/small') exchange.answer('"small"', 200)
    else if (path === '/whole') {
      const memory = Buffer.from(LARGE)
      exchange.answer(memory, 200)
      memory.fill(0)
    } else if (path === '/text') exchange.answer('é'.repeat(MIB), 200)
    else {
      const stream = exchange.beginStream()
      const memory = Buffer.alloc(2 * MIB)
      let sent = 0
      const next = () => {
        stream.onWritable = undefined
        while (sent < LARGE.length - MIB) {
          const length = LARGE.copy(memory, 0, sent, sent + (sent % 3 === 0 ? MIB : 1000))
          sent += length
          if (!stream.write(memory.subarray(0, length))) {
            stream.onWritable = next
            return
          }
        }
        stream.end(LARGE.subarray(sent))
      }
      next()
    }
  })
  const port = await new Promise<number>((resolve) => {
    app.listen('127.0.0.1', 0, (socket) => {
      t.teardown(() => socket && us_listen_socket_close(socket))
      resolve(socket ? us_socket_local_port(socket) : 0)
    })
  })
  t.teardown(() => {
    app.close()
    turns.close()
  })
  return { port, metrics }
}

async function get(port: number, path: string): Promise<IncomingMessage> {
  const sent: ClientRequest = request({ host: '127.0.0.1', port, path, agent: false }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

t.test('large answers arrive whole, whatever becomes of the memory that they came in', async (t) => {
  const { port, metrics } = await openServer(t)
  await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const response = await get(port, i % 2 === 0 ? '/whole' : '/pages')
      if (i % 2 === 0) t.equal(response.headers['content-length'], String(LARGE.length))
      t.ok((await bodyOf(response)).equals(LARGE))
    }),
  )
  const text = await get(port, '/text')
  t.equal((await bodyOf(text)).toString(), 'é'.repeat(MIB))
  t.equal(metrics.stats().exchanges, 0)
})

t.test('a client that reads nothing of a large answer keeps nobody waiting, and may leave', async (t) => {
  const { port, metrics } = await openServer(t)
  const idle = await Promise.all(['/whole', '/pages', '/whole'].map((path) => get(port, path)))
  for (let count = 0; count < 20; count += 1) {
    t.equal((await bodyOf(await get(port, '/small'))).toString(), '"small"')
  }
  t.equal(metrics.stats().exchanges, 3, 'they have not got it all')
  const [whole, pages, left] = idle
  left?.destroy()
  for (const response of [whole, pages]) {
    t.ok(response !== undefined && (await bodyOf(response)).equals(LARGE))
  }
  t.ok((await bodyOf(await get(port, '/pages'))).equals(LARGE))
  while (metrics.stats().exchanges > 0) await new Promise(setImmediate)
})
