import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { DEFAULT_FRONT } from '../../../src/front/options.ts'
import { addPageRoutes } from '../../../src/front/page.ts'
import { readPageFiles } from '../../../src/front/pageFiles.ts'
import { loadSocketLibrary } from '../../../src/front/socketLibrary.ts'
import { TickBudget } from '../../../src/front/tickBudget.ts'

const { App, us_listen_socket_close, us_socket_local_port } = loadSocketLibrary()

/** With Brotli. It was 48 KiB before it had ABIs, forms for contracts and the panel of development chains. */
const MAX_SENT_BYTES = 96 * 1024
/** All of them are asked for at once, and once for each version. */
const MAX_FILES = 100

const files = await readPageFiles()
const app = App()
addPageRoutes(app, files, { options: { ...DEFAULT_FRONT, hosts: ['localhost'] }, loop: new TickBudget() })
const port = await new Promise<number>((resolve, reject) => {
  app.listen('127.0.0.1', 0, (socket) => {
    if (socket === false) {
      reject(new Error('no port'))
      return
    }
    t.teardown(() => us_listen_socket_close(socket))
    resolve(us_socket_local_port(socket))
  })
})

/** The answer as it came: `fetch` would unpack it. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
        )
      })
      asked.once('error', reject).end()
    },
  )
}

const partPaths = [...files.document.plain.toString().matchAll(/(?:href|src)="(page\/[^"]+)"/g)].map(
  ([, path]) => `/${path}`,
)

t.test('under a name that is not its own the node shows no page', async (t) => {
  for (const path of ['/', ...partPaths]) {
    t.equal((await ask(path, { host: `rebound.example:${port}` })).status, 400, path)
    t.equal((await ask(path, { host: `localhost:${port}` })).status, 200, path)
  }
})

t.test('the document and everything it names are there, and nothing of it is inline', async (t) => {
  const { status, headers, body } = await ask('/')
  t.equal(status, 200)
  t.equal(headers['content-type'], 'text/html; charset=utf-8')
  t.equal(headers['cache-control'], 'no-cache')
  t.match(headers['content-security-policy'], /^default-src 'none'; script-src 'self';/)
  t.notMatch(headers['content-security-policy'], /unsafe|https?:|\*/)
  t.match(headers['content-security-policy'], /require-trusted-types-for 'script'/)
  t.equal(headers['x-content-type-options'], 'nosniff')
  t.equal(headers['referrer-policy'], 'no-referrer')
  t.notMatch(body.toString(), /<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|https?:/)
  t.ok(partPaths.length > 10)
  t.equal(new Set(partPaths).size, partPaths.length)
  for (const path of partPaths) t.equal((await ask(path)).status, 200, path)
})

t.test('no file brings anything from elsewhere or writes markup', async (t) => {
  for (const [path, { plain }] of files.parts) {
    const text = plain.toString().replaceAll('http://www.w3.org/2000/svg', '')
    t.notMatch(
      text,
      /https?:\/\/|@import\s+(url|["'])|innerHTML|outerHTML|insertAdjacentHTML|document\.write/,
      path,
    )
  }
})

t.test('the page stays small: a phone on a slow network gets it, too', (t) => {
  const sent = [files.document, ...files.parts.values()].map(({ brotli }) => brotli.length)
  const total = sent.reduce((sum, bytes) => sum + bytes, 0)
  t.ok(total <= MAX_SENT_BYTES, `${total} bytes as browsers get them`)
  t.ok(sent.length <= MAX_FILES, `${sent.length} files`)
  t.end()
})

t.test('browsers keep what they have', async (t) => {
  const [path = ''] = partPaths
  const first = await ask(path)
  t.equal(first.headers['cache-control'], 'public, max-age=31536000, immutable')
  const etag = String(first.headers['etag'])
  for (const tag of [etag, `"a", ${etag}`, etag.replace('W/', ''), '*']) {
    const again = await ask(path, { 'if-none-match': tag })
    t.equal(again.status, 304, tag)
    t.equal(again.body.length, 0)
    t.equal(again.headers['etag'], etag)
  }
  t.equal((await ask(path, { 'if-none-match': '"another"' })).status, 200)
})

t.test('packed as the browser asks for', async (t) => {
  const plain = (await ask('/')).body
  const zipped = await ask('/', { 'accept-encoding': 'gzip, deflate' })
  t.equal(zipped.headers['content-encoding'], 'gzip')
  t.same(gunzipSync(zipped.body), plain)
  const brotli = await ask('/', { 'accept-encoding': 'gzip, deflate, br;q=0.9' })
  t.equal(brotli.headers['content-encoding'], 'br')
  t.same(brotliDecompressSync(brotli.body), plain)
  const refused = await ask('/', { 'accept-encoding': 'br;q=0, gzip;q=0.0' })
  t.equal(refused.headers['content-encoding'], undefined)
  t.same(refused.body, plain)
})

t.test('HEAD tells the same without the body; what is no file is 404', async (t) => {
  for (const path of ['/', ...partPaths.slice(0, 2)]) {
    const { headers: full, body: fullBody } = await ask(path)
    const { status, headers, body } = await ask(path, {}, 'HEAD')
    t.equal(status, 200)
    t.equal(body.length, 0)
    t.equal(headers['content-length'], String(fullBody.length))
    t.equal(headers['etag'], full['etag'])
  }
  for (const path of [
    '/page/',
    '/page/x',
    '/page/../package.json',
    '/page/%2e%2e/types.d.ts',
    `${partPaths[0]}/`,
  ]) {
    const { status, body } = await ask(path)
    t.equal(status, 404, path)
    t.equal(body.length, 0)
  }
})
