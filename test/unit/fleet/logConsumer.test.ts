import type { ConsumerMessages, JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream'
import t, { type Test } from 'tap'
import { LogConsumer, type LogHandler } from '../../../src/fleet/log/logConsumer.ts'
import type { LogStream } from '../../../src/fleet/log/logStream.ts'
import { encodeHead } from '../../../src/fleet/member/headEntry.ts'
import { FleetNames } from '../../../src/fleet/nats/names.ts'
import { createLogger } from '../../../src/observe/logger.ts'

const NAMES = new FleetNames('test')
const LEADER = '11'.repeat(8)
const CREATED = '2026-01-01T00:00:00Z'
/** More than one group has room for. */
const MANY = 1300
const MOST_OF_GROUP = 512

const HEAD = encodeHead({
  ...{ epoch: 1, leader: LEADER, members: [LEADER], signatures: [] },
  ...{ number: 1, hash: Buffer.alloc(32, 1), totalDifficulty: 1n },
})

interface Entry {
  readonly subject: string
  readonly data: Buffer
}

const transaction = (text: string): Entry => ({ subject: NAMES.transactionSubject, data: Buffer.from(text) })
const head = (data: Buffer = HEAD): Entry => ({ subject: NAMES.headSubject, data })
const timeOf = (sequence: number) => 1_700_000_000_000 + sequence

/** A log in memory, in place of that of NATS. */
class FakeLog {
  created = CREATED
  first = 1
  readonly entries: Entry[] = []
  /** Sequences that are delivered after one another otherwise than in their order. */
  delivered: readonly number[] | null = null
  #wake: (() => void)[] = []

  add(...entries: readonly Entry[]): void {
    this.entries.push(...entries)
    for (const wake of this.#wake.splice(0)) wake()
  }

  get stream(): LogStream {
    return {
      state: async () => ({ created: this.created, first: this.first, last: this.entries.length }),
      timeOf: async (sequence: number) => (sequence < this.first ? null : timeOf(sequence)),
    } as unknown as LogStream
  }

  get jetstream(): JetStreamClient {
    const consume = async () => this.#messages(this.#start)
    return {
      consumers: { get: async () => ({ consume, delete: async () => true }) },
    } as unknown as JetStreamClient
  }

  get manager(): JetStreamManager {
    const add = async (_stream: string, { opt_start_seq = 1 }: { opt_start_seq?: number }) => {
      this.#start = opt_start_seq
      return { name: 'consumer' }
    }
    return { consumers: { add } } as unknown as JetStreamManager
  }
  #start = 1

  #messages(start: number): ConsumerMessages {
    let isStopped = false
    const wake = () => {
      isStopped = true
      for (const resume of this.#wake.splice(0)) resume()
    }
    const order = this.delivered ?? null
    this.delivered = null
    const read = async function* (this: FakeLog): AsyncGenerator<JsMsg> {
      for (const seq of order ?? []) yield this.#message(seq)
      for (let seq = order === null ? start : this.entries.length + 1; !isStopped; ) {
        if (seq <= this.entries.length) yield this.#message(seq++)
        else await new Promise<void>((resolve) => this.#wake.push(resolve))
      }
    }
    return Object.assign(read.call(this), { stop: wake }) as unknown as ConsumerMessages
  }

  #message(seq: number): JsMsg {
    const { subject, data } = this.entries[seq - 1] ?? transaction('')
    return { seq, subject, data, time: new Date(timeOf(seq)) } as unknown as JsMsg
  }
}

/** A consumer of a log, with what it had applied, in order. */
function consume(t: Test, log: FakeLog, after: number, handler: Partial<LogHandler> = {}) {
  const calls: (string | number)[][] = []
  let told: (() => void)[] = []
  const note = (...call: (string | number)[]) => {
    calls.push(call)
    for (const tell of told.splice(0)) tell()
  }
  const consumer = new LogConsumer(
    {
      ...{ jetstream: log.jetstream, manager: log.manager, names: NAMES, stream: log.stream },
      logger: createLogger({ level: 'silent', format: 'json' }),
      onBehind: ({ message }) => note('behind', message),
      handler: {
        transactions: async (entries) => note('transactions', ...entries.map(({ sequence }) => sequence)),
        head: async ({ revision }, time) => note('head', revision, time - timeOf(revision)),
        skipped: (sequence) => note('skipped', sequence),
        lost: async (end) => note('lost', end),
        moved: () => undefined,
        verified: () => undefined,
        ...handler,
      },
    },
    { created: CREATED, sequence: after, time: after === 0 ? null : timeOf(after) },
  )
  t.teardown(() => consumer.stop())
  consumer.start()
  /** Resolves when so many calls came. */
  const until = async (count: number) => {
    while (calls.length < count) await new Promise<void>((resolve) => told.push(resolve))
    told = []
    return calls
  }
  return { consumer, calls, until }
}

t.test(
  'transactions between two heads go together, each head alone, what does not parse is left out',
  async (t) => {
    const log = new FakeLog()
    log.add(
      transaction('a'),
      transaction('b'),
      head(),
      transaction(''),
      transaction('c'),
      head(Buffer.from('x')),
    )
    const { until, consumer } = consume(t, log, 0)
    t.same(await until(5), [
      ['transactions', 1, 2],
      ['head', 3, 0],
      ['skipped', 4],
      ['skipped', 6],
      ['transactions', 5],
    ])
    log.add(head())
    await until(6)
    await consumer.atRest(async (sequence) =>
      t.equal(sequence, 7, 'nothing is half done between two entries'),
    )
    t.same(consumer.position, { created: CREATED, sequence: 7, time: timeOf(7) })
  },
)

t.test('it begins behind what was applied, and a group has a bound', async (t) => {
  const log = new FakeLog()
  log.add(...Array.from({ length: MANY }, (_, index) => transaction(`t${index}`)))
  const { until } = consume(t, log, 10)
  const sizes: number[] = []
  const applied: number[] = []
  while (applied.length < MANY - 10) {
    const calls = await until(sizes.length + 1)
    const [, ...sequences] = calls[sizes.length] ?? []
    sizes.push(sequences.length)
    applied.push(...sequences.map(Number))
  }
  t.same(
    applied,
    Array.from({ length: MANY - 10 }, (_, index) => index + 11),
  )
  t.ok(sizes.every((size) => size <= MOST_OF_GROUP))
})

t.test('what cannot be applied is tried again in its place, and nothing overtakes it', async (t) => {
  const log = new FakeLog()
  log.add(transaction('a'), head(), transaction('b'))
  let failures = 2
  const order: string[] = []
  const { consumer, until } = consume(t, log, 0, {
    head: async ({ revision }) => {
      failures -= 1
      if (failures >= 0) throw new Error('the stores take no writes')
      order.push(`head ${revision}`)
    },
    moved: (entries) => order.push(...entries.map(({ sequence }) => `moved ${sequence}`)),
  })
  await until(2)
  await consumer.atRest(async () => undefined)
  t.same(order, ['moved 1', 'head 2', 'moved 2', 'moved 3'])
})

t.test('a gap and a repetition are no entries: it reads on from what it has', async (t) => {
  const log = new FakeLog()
  log.add(transaction('a'), head(), transaction('b'), head())
  log.delivered = [1, 1, 2, 4]
  const { until } = consume(t, log, 0)
  t.same(await until(4), [
    ['transactions', 1],
    ['head', 2, 0],
    ['transactions', 3],
    ['head', 4, 0],
  ])
})

t.test('a log that is another one is taken from its end on', async (t) => {
  const log = new FakeLog()
  log.created = 'later'
  log.add(head(), head())
  const { until, consumer } = consume(t, log, 9)
  t.same(await until(1), [['lost', 2]])
  log.add(head())
  t.same((await until(2)).at(-1), ['head', 3, 0])
  t.equal(consumer.position.created, 'later')
})

t.test('entries that the log dropped before they were applied end it', async (t) => {
  const log = new FakeLog()
  log.add(head(), head(), head(), head())
  log.first = 4
  const { until } = consume(t, log, 1)
  t.match(await until(1), [['behind', /begins at 4, this member stands at 1/]])
})
