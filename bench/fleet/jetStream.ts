import { type JetStreamClient, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { NATS_USER } from '../../test/support/natsServer.ts'

/** What NATS did here. */
export interface JetStreamSpeed {
  readonly work: string
  readonly perSecond: number
  /** Milliseconds of one operation. */
  readonly p50: number
  readonly p99: number
}

export interface JetStreamOptions {
  readonly servers: readonly string[]
  readonly replicas: number
  /** Of each measurement. */
  readonly seconds: number
}

const STREAM = 'bench-log'
const BUCKET = 'bench-state'
const SUBJECT = 'bench.log'
/** Operations under way at a time, where more than one is. */
const WINDOW = 256
/** Bytes of a transaction with its headers, and of a chunk of a block. */
const TRANSACTION = 220
const CHUNK = 64 * 1024
const LARGEST_STREAM = 512 * 1024 * 1024
/** Requests between two flushes of messages that nobody acknowledges. */
const FLUSH_EVERY = 512

/** Measures what the fleet does with NATS, one kind after the other, from one process. */
export async function measureJetStream(options: JetStreamOptions): Promise<JetStreamSpeed[]> {
  const nats = await connect(credentials(options.servers))
  const other = await connect(credentials(options.servers))
  try {
    const manager = await jetstreamManager(nats)
    await manager.streams.add({
      name: STREAM,
      subjects: [SUBJECT],
      storage: StorageType.File,
      num_replicas: options.replicas,
      max_bytes: LARGEST_STREAM,
    })
    const client = jetstream(nats)
    const bucket = await new Kvm(nats).create(BUCKET, { replicas: options.replicas, history: 1 })
    const { seconds } = options
    const speeds = [
      await measure('publish of a transaction, one at a time', 1, seconds, publisher(client, TRANSACTION)),
      await measure(
        `publish of a transaction, ${WINDOW} at a time`,
        WINDOW,
        seconds,
        publisher(client, TRANSACTION),
      ),
      await measure('publish of a chunk of 64 KiB, 16 at a time', 16, seconds, publisher(client, CHUNK)),
      await measure('compare-and-set of one key, one at a time', 1, seconds, await casOf(bucket, 1)),
      await measure(
        `compare-and-set of ${WINDOW} keys at a time`,
        WINDOW,
        seconds,
        await casOf(bucket, WINDOW),
      ),
      await measure('request and reply, one at a time', 1, seconds, requester(nats, other)),
      await measure(`request and reply, ${WINDOW} at a time`, WINDOW, seconds, requester(nats, other)),
      await fanOut(options, nats),
    ]
    await manager.streams.delete(STREAM)
    await manager.streams.delete(`KV_${BUCKET}`)
    return speeds
  } finally {
    await nats.close()
    await other.close()
  }
}

/** Runs an operation so many at a time, each as soon as the one before has ended. @param operate given its lane */
async function measure(
  work: string,
  lanes: number,
  seconds: number,
  operate: (lane: number) => Promise<unknown>,
): Promise<JetStreamSpeed> {
  const times: number[] = []
  const begin = performance.now()
  const until = begin + seconds * 1000
  const run = async (lane: number) => {
    for (let now = performance.now(); now < until; ) {
      await operate(lane)
      const end = performance.now()
      times.push(end - now)
      now = end
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)))
  return { work, perSecond: (times.length * 1000) / (performance.now() - begin), ...percentiles(times) }
}

function publisher(client: JetStreamClient, size: number): () => Promise<unknown> {
  const payload = Buffer.alloc(size, 0x5a)
  let id = 0
  return () => {
    id += 1
    return client.publish(SUBJECT, payload, { msgID: `${size}-${id}-${performance.now()}` })
  }
}

async function casOf(bucket: KV, lanes: number): Promise<(lane: number) => Promise<unknown>> {
  const revisions = await Promise.all(
    Array.from({ length: lanes }, (_, lane) => bucket.put(`key.${lane}`, 'x')),
  )
  return async (lane) => {
    revisions[lane] = await bucket.update(`key.${lane}`, Buffer.alloc(120, 0x5a), revisions[lane] ?? 0)
  }
}

function requester(nats: NatsConnection, other: NatsConnection): () => Promise<unknown> {
  const subject = `bench.echo.${performance.now()}`
  other.subscribe(subject, { callback: (_, message) => void message.respond(message.data) })
  const payload = Buffer.alloc(120, 0x5a)
  let isReady = false
  return async () => {
    // The subscription has to be known to the server of the caller.
    if (!isReady) await other.flush()
    isReady = true
    await nats.request(subject, payload, { timeout: 5000 }).catch(() => undefined)
  }
}

const SUBSCRIBERS = 8

/** Messages that nobody acknowledges, each delivered to several subscribers: how many deliveries there are. */
async function fanOut({ servers, seconds }: JetStreamOptions, nats: NatsConnection): Promise<JetStreamSpeed> {
  const others = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => connect(credentials(servers))))
  let delivered = 0
  const subject = 'bench.fan'
  for (const other of others) {
    other.subscribe(subject, {
      callback: () => {
        delivered += 1
      },
    })
  }
  await Promise.all(others.map((other) => other.flush()))
  const payload = Buffer.alloc(120, 0x5a)
  const begin = performance.now()
  const times: number[] = []
  while (performance.now() < begin + seconds * 1000) {
    const start = performance.now()
    for (let index = 0; index < FLUSH_EVERY; index += 1) nats.publish(subject, payload)
    await nats.flush()
    times.push((performance.now() - start) / FLUSH_EVERY)
  }
  await Promise.all(others.map((other) => other.flush()))
  const perSecond = (delivered * 1000) / (performance.now() - begin)
  await Promise.all(others.map((other) => other.close()))
  return { work: `deliveries of messages to ${SUBSCRIBERS} subscribers`, perSecond, ...percentiles(times) }
}

export function percentiles(times: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

function credentials(servers: readonly string[]) {
  return { servers: [...servers], user: NATS_USER.user, pass: NATS_USER.password }
}
