import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { SlowLog } from '../../../src/node/slowLog.ts'
import { createLogger } from '../../../src/observe/logger.ts'
import { openHttpService } from '../../support/httpService.ts'

const POOLED = '{"jsonrpc":"2.0","id":2,"method":"eth_getBlockTransactionCountByNumber","params":["0x6"]}'
/** Milliseconds; every answer of a worker takes longer. */
const AT_ONCE = 1e-6

const log = new PassThrough()

async function open(requestIds: boolean) {
  const service = await openHttpService({
    front: { requestIds },
    watch: new SlowLog(createLogger({ level: 'info', format: 'json', output: log }), AT_ONCE, nextSecond),
  })
  t.teardown(() => service.stop())
  return service.port
}

/** The log takes some entries a second: each of these is in a second of its own. */
let seconds = 0
const nextSecond = () => 1000 * ++seconds

/** Asks over a bare connection, with a header byte for byte; the bytes of the answer. */
function send(port: number, id: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => {
      const head = `POST / HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\nConnection: close\r\n`
      socket.write(`${head}Content-Length: ${POOLED.length}\r\n\r\n${POOLED}`, 'latin1')
    })
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (received.endsWith('}') || received.startsWith('HTTP/1.1 4')) socket.destroy()
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
}

/** Bytes of what was logged since the last time. */
function takeLog(): string {
  return (log.read() as Buffer | null)?.toString('latin1') ?? ''
}

async function ask(port: number, id: string): Promise<{ answer: string; logged: string }> {
  takeLog()
  const answer = await send(port, id)
  return { answer, logged: takeLog() }
}

const idIn = (logged: string) => (JSON.parse(logged) as { requestId: string }).requestId

const port = await open(true)

t.test('the name that a client gave its request is echoed, and stands in the log of slow ones', async (t) => {
  for (const id of ['r-1', '00-4bf92f3577b34da6a3ce929d0e0e4736/a.b:c@d+e=f_g', 'x'.repeat(128)]) {
    const { answer, logged } = await ask(port, id)
    t.match(answer, /^HTTP\/1.1 200 /)
    t.match(answer, /"result":"0xb"/)
    t.equal(/\r\nx-request-id: ([^\r]*)\r\n/i.exec(answer)?.[1], id)
    t.match(JSON.parse(logged), { requestId: id, method: 'eth_getBlockTransactionCountByNumber' })
  }
})

const HOSTILE: Readonly<Record<string, string>> = {
  'too long': 'x'.repeat(129),
  'a quote': 'evil"evil',
  'the end of a JSON text': 'evil","caller":"somebody',
  markup: '<evil>',
  'a space': 'evil evil',
  'a control character': 'evil\x01evil',
  'the end of a terminal line': 'evil\x1b[2K',
  'a line feed': 'evil\nX-Evil: evil',
  'a tab': 'evil\tevil',
  'not ASCII': 'evil\xc3\xa9evil',
  'not even UTF-8': 'evil\xffevil',
}

t.test(
  'one that cannot stand in a header and in a log has the log make another, and is not echoed',
  async (t) => {
    // At once: some are cut off only when the library's idle time is over.
    const answers = await Promise.all(
      Object.entries(HOSTILE).map(async ([what, id]) => ({ what, id, answer: await send(port, id) })),
    )
    const logged = takeLog()
    let answered = 0
    for (const { what, id, answer } of answers) {
      t.notMatch(answer, /x-request-id/i, what)
      t.notOk(answer.includes('evil') || answer.includes(id), what)
      t.notOk(logged.includes('evil') || logged.includes(id), what)
      if (!answer.startsWith('HTTP/1.1 200 ')) continue
      t.match(answer, /"result":"0xb"/, what)
      answered += 1
    }
    // What is no header at all is no request either.
    const entries = logged.split('\n').filter((line) => line !== '')
    t.equal(entries.length, answered)
    for (const entry of entries) t.match(idIn(entry), /^[0-9a-f]{16}$/)
  },
)

t.test('without --request-ids none is taken', async (t) => {
  const { answer, logged } = await ask(await open(false), 'r-1')
  t.match(answer, /"result":"0xb"/)
  t.notMatch(answer, /x-request-id/i)
  t.match(idIn(logged), /^[0-9a-f]{16}$/)
})
