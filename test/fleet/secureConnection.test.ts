import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createAccount,
  createOperator,
  createUser,
  encodeAccount,
  encodeOperator,
  encodeUser,
  fmtCreds,
  type KeyPair,
} from '@nats-io/jwt'
import t, { type Test } from 'tap'
import { FleetError } from '../../src/fleet/errors.ts'
import { connectFleet, type FleetConnectionEvent } from '../../src/fleet/nats/natsConnection.ts'
import { createCertificate } from '../support/certificate.ts'
import { runCommand } from '../support/cli.ts'
import { NATS_SKIP, NATS_USER, NatsServer } from '../support/natsServer.ts'
import { freePort } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'
import { connectionTo, until, untilEvent } from './support/connections.ts'

const NO_USER = { user: null, password: null } as const

t.test('servers that ask for certificates', { skip: NATS_SKIP }, async (t) => {
  const folder = testFolder(t)
  const server = createCertificate(folder, 'server')
  const member = createCertificate(folder, 'member')
  const stranger = createCertificate(folder, 'stranger')
  const files = `cert_file: "${server.certificate}", key_file: "${server.key}", ca_file: "${member.certificate}"`
  const url = await startServer(t, folder, [
    `tls { ${files}, verify: true }`,
    `authorization { user: ${NATS_USER.user}, password: ${NATS_USER.password} }`,
  ])
  const servers = [url.replace('nats:', 'tls:')]
  const options = {
    ...connectionTo(servers),
    ca: server.certificate,
    cert: member.certificate,
    key: member.key,
  }

  await t.test('a member that shows one is connected, with TLS', async (t) => {
    const connection = await connectFleet(options)
    t.equal(connection.nats.info?.tls_required, true)
    await connection.close()
  })

  await t.test('TLS is used as well where the address does not ask for it', async (t) => {
    const connection = await connectFleet({ ...options, servers: [url] })
    t.equal(connection.nats.info?.tls_required, true)
    await connection.close()
  })

  await t.test('none, and one of somebody else', async (t) => {
    const none = connectFleet({ ...options, cert: null, key: null })
    await t.rejects(none, { message: '--fleet-cert' })
    const other = connectFleet({ ...options, cert: stranger.certificate, key: stranger.key })
    await t.rejects(other, { message: '--fleet-cert' })
  })

  await t.test('a server that nobody vouches for, and one at another address', async (t) => {
    const others = [
      { ...options, ca: null },
      { ...options, ca: stranger.certificate },
      { ...options, servers: servers.map((address) => address.replace('127.0.0.1', '127.0.0.2')) },
    ]
    for (const [index, other] of others.entries()) {
      await t.rejects(connectFleet(other), { code: 'Tls', message: '--fleet-ca' }, `case ${index}`)
    }
  })

  await t.test('the commands take the same options', async (t) => {
    const files = ['--fleet-ca', options.ca, '--fleet-cert', options.cert, '--fleet-key', options.key]
    const user = ['--fleet-user', NATS_USER.user, '--fleet-password', NATS_USER.password]
    const made = await runCommand(['fleet', 'init', '--fleet', servers.join(), ...user, ...files])
    t.equal(made.code, 0, made.stderr)
    const refused = await runCommand(['fleet', 'status', '--fleet', servers.join(), ...user])
    t.equal(refused.code, 1)
    t.match(refused.stderr, '--fleet-ca')
  })
})

t.test('servers of an operator, who gives credentials', { skip: NATS_SKIP }, async (t) => {
  const folder = testFolder(t)
  const account = createAccount()
  const url = await startServer(t, folder, await operatedBy(createOperator(), account))
  const path = join(folder, 'member.creds')
  const options = { ...connectionTo([url]), ...NO_USER, credentials: path }
  await writeCredentials(path, account)

  await t.test('a member with them is connected', async (t) => {
    const connection = await connectFleet(options)
    await t.resolves(connection.nats.flush())
    await connection.close()
  })

  await t.test('those of another account, of none, and a file that is none', async (t) => {
    await t.rejects(connectFleet({ ...options, credentials: null }), { code: 'NotAuthorized' })
    const other = join(folder, 'other.creds')
    await writeCredentials(other, createAccount())
    await t.rejects(connectFleet({ ...options, credentials: other }), { code: 'NotAuthorized' })
    writeFileSync(other, 'nothing of that kind\n')
    await t.rejects(connectFleet({ ...options, credentials: other }), FleetError)
  })

  await t.test('new ones count at the next connection', async (t) => {
    const connection = await connectFleet(options)
    await writeCredentials(path, account)
    const events: FleetConnectionEvent[] = []
    connection.onEvent((event) => events.push(event))
    await connection.nats.reconnect()
    await untilEvent(events, 'connected')
    await t.resolves(connection.nats.flush())
    await connection.close()
  })

  await t.test('the commands take them', async (t) => {
    const made = await runCommand(['fleet', 'init', '--fleet', url, '--fleet-credentials', path])
    t.equal(made.code, 0, made.stderr)
    const status = await runCommand(['fleet', 'status', '--fleet', url, '--fleet-credentials', path])
    t.match(status.stdout, 'no member is known')
  })
})

/** A server with JetStream. @returns its address */
async function startServer(t: Test, folder: string, lines: readonly string[]): Promise<string> {
  const port = await freePort()
  const url = `nats://127.0.0.1:${port}`
  const config = join(folder, 'nats.conf')
  const log = join(folder, 'log')
  const common = [
    `listen: "0.0.0.0:${port}"`,
    `log_file: "${log}"`,
    `jetstream { store_dir: "${folder}", sync_interval: always }`,
  ]
  writeFileSync(config, `${[...common, ...lines].join('\n')}\n`)
  const server = new NatsServer('secure', url, config, log, [])
  t.teardown(() => server.kill())
  server.start()
  await until('the server takes connections', () => server.log().includes('Server is ready'))
  return url
}

/** Lines of a configuration under which users have JWTs of an account. */
async function operatedBy(operator: KeyPair, account: KeyPair): Promise<readonly string[]> {
  const system = createAccount()
  const jetstream = { disk_storage: -1, mem_storage: -1, streams: -1, consumer: -1 }
  const limits = { conn: -1, subs: -1, data: -1, payload: -1, imports: -1, exports: -1, ...jetstream }
  const accounts = [
    `${account.getPublicKey()}: ${await encodeAccount('fleet', account, { limits }, { signer: operator })}`,
    `${system.getPublicKey()}: ${await encodeAccount('system', system, {}, { signer: operator })}`,
  ]
  return [
    `operator: ${await encodeOperator('operator', operator)}`,
    `system_account: ${system.getPublicKey()}`,
    'resolver: MEMORY',
    `resolver_preload: { ${accounts.join(', ')} }`,
  ]
}

async function writeCredentials(path: string, account: KeyPair): Promise<void> {
  const user = createUser()
  writeFileSync(path, fmtCreds(await encodeUser('member', user, account), user))
}
