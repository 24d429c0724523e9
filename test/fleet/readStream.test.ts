import { jetstreamManager, jetstream as openJetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import t from 'tap'
import { HEARTBEAT, readStream } from '../../src/fleet/nats/readStream.ts'
import { NATS_SKIP, NATS_USER, startNatsServer } from '../support/natsServer.ts'
import { testFolder } from '../support/testFolder.ts'

const STREAM = 'silent'
/** The client of NATS itself would look after a silent consumer once, and again after half a minute. */
const PING_MS = 120_000

t.test('messages whose consumer is silent end while the connection stays', { skip: NATS_SKIP }, async (t) => {
  const cluster = await startNatsServer({ folder: testFolder(t) })
  t.teardown(() => cluster.kill())
  const nats = await connect({
    servers: [...cluster.urls],
    user: NATS_USER.user,
    pass: NATS_USER.password,
    pingInterval: PING_MS,
  })
  t.teardown(() => nats.close())
  const manager = await jetstreamManager(nats, { timeout: HEARTBEAT })
  const jetstream = openJetstream(nats, { timeout: HEARTBEAT })
  await manager.streams.add({ name: STREAM, subjects: [STREAM] })
  await jetstream.publish(STREAM, 'one')
  const [server] = cluster.servers
  const read: string[] = []
  await readStream(
    { jetstream, manager },
    { stream: STREAM, from: 1, askedBytes: 1024 },
    async (messages) => {
      for await (const message of messages) {
        read.push(message.string())
        server?.pause()
      }
    },
  )
  t.notOk(nats.isClosed())
  server?.resume()
  await jetstream.publish(STREAM, 'two')
  await readStream(
    { jetstream, manager },
    { stream: STREAM, from: 2, askedBytes: 1024 },
    async (messages) => {
      for await (const message of messages) {
        read.push(message.string())
        return
      }
    },
  )
  t.strictSame(read, ['one', 'two'])
})
