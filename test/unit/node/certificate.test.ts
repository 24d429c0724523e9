import { EventEmitter, once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { checkTlsFiles, TlsError, type TlsFiles } from '../../../src/front/tls.ts'
import { Certificate } from '../../../src/node/certificate.ts'
import { Opened, Part } from '../../../src/node/opened.ts'
import { createLogger } from '../../../src/observe/logger.ts'
import { createCertificate } from '../../support/certificate.ts'

// Looks at files keep no process running.
const running = setInterval(() => undefined, 1000)
t.teardown(() => clearInterval(running))

const log = createLogger({ level: 'silent', format: 'json' })

/** An endpoint that writes down the files it is told to use. */
function recordingEndpoint() {
  const used: TlsFiles[] = []
  const uses = new EventEmitter()
  const reloadTls = (files: TlsFiles) => {
    const metadata = checkTlsFiles(files)
    used.push(files)
    uses.emit('used')
    return metadata
  }
  return { used, nextUse: () => once(uses, 'used'), endpoint: { reloadTls } }
}

t.test('files that change are read again; a reload follows others in their place', async (t) => {
  const folder = t.testdir()
  const first = createCertificate(folder, 'first')
  const second = createCertificate(folder, 'second')
  const { used, nextUse, endpoint } = recordingEndpoint()
  const parts = new Opened()
  t.teardown(() => parts.close())
  const service = new Part<typeof endpoint>()
  const certificate = await Certificate.open(parts, first, service, log)
  certificate.use(second)
  t.same(used, [], 'nobody has connections yet')
  await parts.open({ open: () => endpoint, close: () => undefined }, service)
  appendFileSync(first.certificate, '\n')
  await nextUse()
  t.same(used, [first])
  certificate.use(second)
  t.same(used, [first, second])
  await nextTurn()
  // Were both followed, those that were followed first would be looked at first.
  appendFileSync(first.certificate, '\n')
  appendFileSync(second.certificate, '\n')
  await nextUse()
  t.same(used, [first, second, second], 'the files from before are no longer followed')
})

t.test('files that cannot be used leave those from before, which are still followed', async (t) => {
  const folder = t.testdir()
  const files = createCertificate(folder, 'first')
  const { used, nextUse, endpoint } = recordingEndpoint()
  const parts = new Opened()
  t.teardown(() => parts.close())
  const service = new Part<typeof endpoint>()
  const certificate = await Certificate.open(parts, files, service, log)
  await parts.open({ open: () => endpoint, close: () => undefined }, service)
  t.throws(() => certificate.use({ ...files, key: `${files.key}.gone` }), TlsError)
  appendFileSync(files.key, '\n')
  await nextUse()
  t.same(used, [files])
})
