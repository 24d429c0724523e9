import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { HttpSource } from '../../../src/snapshot/httpSource.ts'
import type { ChunkEntry } from '../../../src/snapshot/manifest.ts'

const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 251))
const ENTRY: ChunkEntry = {
  kind: 'state',
  hash: 'ab'.repeat(32),
  size: 1,
  packedSize: BYTES.length,
  items: 1,
  from: 1,
  to: 2,
}
const PATIENCE = { silence: 300, attempts: 3, pause: 1 }

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A source whose server answers one request after another as the list says, the last for good. */
async function openSource(t: Test, answers: readonly Answer[]) {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    const answer = answers[Math.min(seen.length, answers.length - 1)]
    seen.push(request)
    answer?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const source = new HttpSource(`http://user:secret@127.0.0.1:${port}/snap`, undefined, PATIENCE)
  return { source, seen }
}

const startOf = (request: IncomingMessage) =>
  Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)

/** Answers ranges; with a limit the connection breaks after so many bytes. */
function serve(limit = Number.POSITIVE_INFINITY): Answer {
  return (request, response) => {
    const start = startOf(request)
    const partial = request.headers.range !== undefined
    response.writeHead(partial ? 206 : 200, {
      'content-length': BYTES.length - start,
      ...(partial && { 'content-range': `bytes ${start}-${BYTES.length - 1}/${BYTES.length}` }),
    })
    response.write(BYTES.subarray(start, Math.min(BYTES.length, start + limit)), () => {
      if (start + limit < BYTES.length) response.destroy()
      else response.end()
    })
  }
}

const status =
  (code: number): Answer =>
  (_, response) =>
    response.writeHead(code).end()

t.test('a connection that breaks again and again goes on where it was', async (t) => {
  const { source, seen } = await openSource(t, [serve(70_000)])
  t.ok((await source.chunk(ENTRY)).equals(BYTES))
  t.ok(seen.length >= 5)
  t.equal(seen[0]?.headers.range, undefined)
  t.ok(startOf(seen[1] as IncomingMessage) > 0)
  t.equal(seen[0]?.headers.authorization, `Basic ${Buffer.from('user:secret').toString('base64')}`)
  t.match(seen[0]?.url, `/snap/${ENTRY.hash}.zst`)
})

t.test('a server that does not know ranges sends it all again', async (t) => {
  const whole: Answer = (_, response) => response.writeHead(200).end(BYTES)
  const { source } = await openSource(t, [serve(1000), whole])
  t.ok((await source.chunk(ENTRY)).equals(BYTES))
})

t.test('a server that is busy is asked again, one that stays so is given up', async (t) => {
  const passing = await openSource(t, [status(503), status(429), serve()])
  t.ok((await passing.source.chunk(ENTRY)).equals(BYTES))
  const lasting = await openSource(t, [status(503)])
  await t.rejects(lasting.source.chunk(ENTRY), { code: 'SNAPSHOT_SOURCE', message: /status 503/ })
  t.equal(lasting.seen.length, PATIENCE.attempts)
})

t.test('a server that falls silent counts as lost', async (t) => {
  const silent: Answer = (_, response) => {
    response.writeHead(200).write(BYTES.subarray(0, 10))
  }
  const { source } = await openSource(t, [silent, serve()])
  t.ok((await source.chunk(ENTRY)).equals(BYTES))
  const mute = await openSource(t, [() => {}])
  await t.rejects(mute.source.chunk(ENTRY), { code: 'SNAPSHOT_SOURCE', message: /the server is silent/ })
})

t.test('what is not there, not allowed or too long', async (t) => {
  const absent = await openSource(t, [status(404)])
  await t.rejects(absent.source.chunk(ENTRY), { code: 'SNAPSHOT_CHUNK', message: /is missing/ })
  await t.rejects(absent.source.manifest(), { code: 'SNAPSHOT_SOURCE', message: /holds no snapshot/ })
  t.equal(await absent.source.signatures(), null)
  const forbidden = await openSource(t, [status(403)])
  await t.rejects(forbidden.source.chunk(ENTRY), { code: 'SNAPSHOT_SOURCE', message: /status 403/ })
  t.equal(forbidden.seen.length, 1)
  const long = await openSource(t, [serve()])
  const found = await long.source.chunk({ ...ENTRY, packedSize: 1000 })
  t.ok(found.length > 1000 && found.length < BYTES.length, 'no more is read than shows that it is too long')
})

t.test('messages do not show the password of an address', async (t) => {
  const { source } = await openSource(t, [status(403)])
  t.notMatch(source.name, 'secret')
  await t.rejects(source.chunk(ENTRY), { message: /^(?!.*secret)/ })
})
