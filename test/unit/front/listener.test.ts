import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import t from 'tap'
import { listenOn } from '../../../src/front/listener.ts'
import { loadSocketLibrary } from '../../../src/front/socketLibrary.ts'
import { checkTlsFiles, type TlsFiles } from '../../../src/front/tls.ts'
import { createCertificate } from '../../support/certificate.ts'

const library = loadSocketLibrary()
const folder = t.testdir()
const first = createCertificate(folder, 'first')
const second = createCertificate(folder, 'second')
const ADDRESS = { host: '127.0.0.1', port: 0 }

/** Name in the certificate that a request sees. */
async function nameSeen(port: number, agent: Agent, options = {}): Promise<string> {
  const request = get({ host: '127.0.0.1', port, agent, rejectUnauthorized: false, ...options })
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream & { socket: TLSSocket }]
  const { CN } = response.socket.getPeerCertificate().subject
  response.resume()
  await once(response, 'end')
  return String(CN)
}

t.test('a new certificate counts for new connections, and open ones go on', async (t) => {
  const listener = await listenOn(library, ADDRESS, first, (app) => {
    app.get('/*', (response) => {
      response.end('here')
    })
  })
  const open = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => {
    open.destroy()
    listener.close()
  })
  t.equal(await nameSeen(listener.port, open), 'first')
  t.match(listener.certificate(), { subject: 'CN=first' })
  t.match(listener.reloadTls(second), { subject: 'CN=second' })
  t.match(listener.certificate(), { subject: 'CN=second' })
  t.equal(await nameSeen(listener.port, open), 'first', 'on the connection from before')
  t.equal(await nameSeen(listener.port, new Agent()), 'second')
  const mixed: TlsFiles = { certificate: first.certificate, key: second.key }
  t.throws(() => listener.reloadTls(mixed), { code: 'TLS_FILES', message: /is not that of the certificate/ })
  t.equal(await nameSeen(listener.port, new Agent()), 'second', 'wrong files change nothing')
  await t.rejects(nameSeen(listener.port, new Agent(), { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }))
  t.equal(await nameSeen(listener.port, new Agent(), { maxVersion: 'TLSv1.2' }), 'second')
})

// Memory that a connection writes to without owning it ends the process here, or when the file ends.
t.test('hundreds of connections under TLS do no harm', async (t) => {
  const listener = await listenOn(library, ADDRESS, first, (app) => {
    app.get('/*', (response) => {
      response.end('here')
    })
  })
  t.teardown(() => listener.close())
  for (let round = 0; round < 10; round++) {
    const names = Array.from({ length: 20 }, () => nameSeen(listener.port, new Agent()))
    t.same(new Set(await Promise.all(names)), new Set(['first']))
  }
})

t.test('what is wrong with the files is said', async (t) => {
  const rubbish = join(folder, 'rubbish')
  writeFileSync(rubbish, 'no PEM')
  const missing = join(folder, 'missing')
  const refused = (files: TlsFiles, message: RegExp) =>
    t.throws(() => checkTlsFiles(files), { code: 'TLS_FILES', message })
  refused({ ...first, certificate: missing }, /cannot read .*missing/)
  refused({ ...first, key: missing }, /cannot read .*missing/)
  refused({ ...first, certificate: rubbish }, /rubbish holds no certificate/)
  refused({ ...first, key: rubbish }, /rubbish holds no private key/)
  t.throws(() => checkTlsFiles(first, Date.now() + 1e10), { message: /was valid until/ })
  t.throws(() => checkTlsFiles(first, 0), { message: /is not valid before/ })
  await t.rejects(
    listenOn(library, ADDRESS, { ...first, key: second.key }, () => undefined),
    { code: 'TLS_FILES' },
  )
})
