import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { WebSocket } from 'ws'
import { toHex } from '../../src/util/bytes.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { runInProcess } from '../support/program.ts'
import { signedTransaction } from '../support/signedTransaction.ts'

/** Files that the node may have open; starting takes some two hundred of them for a moment. */
const DESCRIPTORS = 640
/** Connections that are tried of each kind: together more than there are files. */
const CONNECTIONS = 400
/** What the node must be able to hold at least. */
const MIN_OPEN = 256
/** What it may hold at most: the other files are for its stores and workers. */
const MAX_OPEN = DESCRIPTORS - 256
/** Looks for something that is to happen, 100 ms from one to the next. */
const LOOKS = 300

/** A client's end of a connection that may be refused. */
interface Line {
  /** The result; null when the connection is closed, be it before or instead of an answer. */
  ask(method: string, params?: readonly unknown[]): Promise<unknown>
  end(): void
}

function requestText(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

function resultOf(text: string): unknown {
  return (JSON.parse(text) as { result: unknown }).result
}

/** Resolves when a connection has gone, in whatever way. */
function closeOf(socket: Socket | WebSocket): Promise<null> {
  return new Promise((resolve) => {
    socket.on('error', () => undefined).once('close', () => resolve(null))
  })
}

async function openHttp(port: number): Promise<Line> {
  const socket: Socket = connect(port, '127.0.0.1')
  const closed = closeOf(socket)
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), closed])
  const answer = async (body: string) => {
    socket.write(
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    let text = ''
    while (!text.endsWith('}') && !text.endsWith('}\n')) {
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      text += chunk.toString('latin1')
    }
    return resultOf(text.slice(text.indexOf('\r\n\r\n')))
  }
  return {
    end: () => socket.destroy(),
    ask: (method, params = []) =>
      Promise.race([closed, answer(requestText(method, params)).catch(() => null)]),
  }
}

async function openSocket(port: number): Promise<Line> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  const closed = closeOf(socket)
  await Promise.race([new Promise((resolve) => socket.once('open', resolve)), closed])
  const answer = async (body: string) => {
    socket.send(body)
    const [data] = (await once(socket, 'message')) as [Buffer]
    return resultOf(data.toString())
  }
  return {
    end: () => socket.terminate(),
    ask: (method, params = []) =>
      Promise.race([closed, answer(requestText(method, params)).catch(() => null)]),
  }
}

async function openAll(node: NodeProcess): Promise<Line[]> {
  const port = Number(new URL(node.url).port)
  const lines: Line[] = []
  for (let count = 0; count < CONNECTIONS; count += 1) {
    lines.push(...(await Promise.all([openHttp(port), openSocket(port)])))
  }
  return lines
}

/** A refusal comes behind the connection that the system made: those that are answered were not refused. */
async function openOf(lines: readonly Line[]): Promise<Line[]> {
  const answers = await Promise.all(lines.map((line) => line.ask('eth_chainId')))
  return lines.filter((_, i) => answers[i] === '0x21')
}

t.test('more connections than there are file descriptors', async (t) => {
  const dataDir = join(t.testdir(), 'data')
  const node = await startNode({
    dataDir,
    under: ['bash', '-c', `ulimit -n ${DESCRIPTORS}; exec "$@"`, 'bash'],
  })
  t.teardown(() => node.stop('SIGKILL'))
  const lines = await openAll(node)
  t.teardown(() => {
    for (const line of lines) line.end()
  })
  const open = await openOf(lines)
  t.ok(open.length >= MIN_OPEN, `${open.length} are open`)
  t.ok(open.length <= MAX_OPEN, 'the others were refused')
  const [first, last] = [open[0], open.at(-1)]
  if (first === undefined || last === undefined) throw new Error('none is open')
  const sent = signedTransaction({ nonce: 0n })
  const hash = await first.ask('eth_sendRawTransaction', [toHex(sent.encoded)])
  t.match(await last.ask('eth_getTransactionReceipt', [hash]), { status: '0x1' })
  for (const line of lines) line.end()
  let isUp = false
  for (let look = 0; look < LOOKS && !isUp; look += 1) {
    isUp = await node.request('eth_chainId').then(
      () => true,
      () => false,
    )
    if (!isUp) await sleep(100)
  }
  t.ok(isUp, 'others are accepted when those are gone')
  const more = await openAll(node)
  const again = await openOf(more)
  t.ok(again.length >= MIN_OPEN, `${again.length} are open again`)
  for (const line of more) line.end()
  await node.stop('SIGKILL')
  const check = await runInProcess(['check', '--full', '--data-dir', dataDir])
  t.equal(check.code, 0, check.stdout + check.stderr)
  const restarted = await startNode({ dataDir })
  t.teardown(() => restarted.stop('SIGKILL'))
  t.match(await restarted.request('eth_getTransactionReceipt', [hash]), { status: '0x1' })
})
