import { JetStreamApiError } from '@nats-io/jetstream'
import type { KvEntry } from '@nats-io/kv'
import t, { type Test } from 'tap'
import { OwnLease, type OwnLeaseEvent } from '../../../src/fleet/lease/lease.ts'
import {
  encodeMemberRecord,
  type MemberRecord,
  parseMemberRecord,
} from '../../../src/fleet/lease/memberRecord.ts'

const ID = '0123456789abcdef'
const LEASE = 10_000
const RECORD: MemberRecord = {
  incarnation: 'fedcba9876543210',
  name: 'one',
  number: 1,
  version: '0.1.0',
  serves: false,
  head: null,
  lag: null,
  load: 0,
  over: false,
}

/** One key with compare-and-set, as a bucket has it. */
class OneKey {
  value = ''
  revision = 0
  puts = 0
  /** Called once a write is stored and before it is acknowledged. */
  stored: () => Promise<void> = async () => undefined

  async get(): Promise<KvEntry | null> {
    if (this.revision === 0) return null
    const value = Buffer.from(this.value)
    const entry = { value, revision: this.revision, operation: 'PUT' }
    return entry as unknown as KvEntry
  }

  async put(_: string, value: string | Uint8Array, options: { previousSeq?: number } = {}): Promise<number> {
    this.puts += 1
    if (options.previousSeq !== this.revision) {
      throw new JetStreamApiError({ code: 400, err_code: 10_071, description: 'wrong last sequence' })
    }
    this.set(value.toString())
    const { revision } = this
    await this.stored()
    return revision
  }

  set(value: string): void {
    this.value = value
    this.revision += 1
  }

  async delete(): Promise<void> {
    this.set('')
  }
}

interface Scene {
  readonly bucket: OneKey
  readonly clock: { now: number }
  readonly lease: OwnLease
  readonly events: OwnLeaseEvent[]
  deadline(): number
  health: () => Promise<void>
}

function sceneOf(t: Test): Scene {
  const bucket = new OneKey()
  const clock = { now: 1000 }
  const events: OwnLeaseEvent[] = []
  const shared = { deadline: new Float64Array(1) }
  const scene = { health: async () => undefined as undefined }
  const lease = new OwnLease({
    bucket,
    id: ID,
    lease: LEASE,
    clock: () => clock.now,
    shared,
    health: () => made.health(),
    record: () => RECORD,
    onEvent: (event) => events.push(event),
  })
  t.teardown(() => lease.release())
  const made: Scene = { ...scene, bucket, clock, lease, events, deadline: () => shared.deadline[0] ?? 0 }
  return made
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

t.test('the deadline counts from before the renewal was sent', async (t) => {
  const scene = sceneOf(t)
  scene.bucket.stored = async () => {
    scene.clock.now += 4000
  }
  scene.lease.start()
  await until(() => scene.deadline() > 0)
  t.equal(scene.deadline(), 1000 + LEASE)
  t.ok(scene.lease.isHeld)
  scene.clock.now = 1000 + LEASE
  t.notOk(scene.lease.isHeld)
})

t.test('an acknowledgement that comes after the deadline gives no lease', async (t) => {
  const scene = sceneOf(t)
  scene.bucket.stored = async () => {
    scene.clock.now += LEASE + 1
  }
  scene.lease.start()
  await until(() => scene.deadline() > 0)
  t.notOk(scene.lease.isHeld)
  t.notOk(scene.events.some(({ kind }) => kind === 'held'))
})

t.test('a thread that does not answer keeps the renewal back', async (t) => {
  const scene = sceneOf(t)
  let answer = (): void => undefined
  scene.health = () => new Promise((resolve) => (answer = resolve))
  scene.lease.start()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(scene.bucket.puts, 0)
  scene.clock.now = 3000
  answer()
  await until(() => scene.deadline() > 0)
  t.equal(scene.deadline(), 3000 + LEASE)
})

t.test('a renewal that was stored without an acknowledgement is not taken for a stranger', async (t) => {
  const scene = sceneOf(t)
  scene.lease.start()
  await until(() => scene.deadline() > 0)
  scene.bucket.stored = async () => {
    throw new Error('connection disconnected')
  }
  scene.clock.now = 2000
  scene.lease.renew()
  await until(() => scene.events.some(({ kind }) => kind === 'late'))
  t.equal(scene.deadline(), 1000 + LEASE, 'which does not extend the lease')
  scene.bucket.stored = async () => undefined
  scene.clock.now = 2500
  scene.lease.renew()
  await until(() => scene.deadline() === 2500 + LEASE)
  t.strictSame(
    scene.events.map(({ kind }) => kind),
    ['held', 'late'],
  )
})

t.test('a member whose lease was ended is told, and goes on with a new one', async (t) => {
  const scene = sceneOf(t)
  scene.lease.start()
  await until(() => scene.deadline() > 0)
  scene.bucket.set(encodeMemberRecord({ ...RECORD, over: true }))
  scene.clock.now = 20_000
  scene.lease.renew()
  await until(() => scene.deadline() === 20_000 + LEASE)
  t.ok(scene.events.some(({ kind }) => kind === 'fenced'))
  t.equal(parseMemberRecord(Buffer.from(scene.bucket.value))?.over, false)
})

t.test('a renewal during which the connection was lost gives no lease', async (t) => {
  const scene = sceneOf(t)
  scene.bucket.stored = async () => scene.lease.interrupted()
  scene.lease.start()
  await until(() => scene.bucket.puts === 1)
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(scene.deadline(), 0)
  scene.bucket.stored = async () => undefined
  scene.lease.renew()
  await until(() => scene.deadline() > 0)
  t.equal(scene.bucket.puts, 2)
})

t.test('a member whose record has vanished is told, and goes on with a new one', async (t) => {
  const scene = sceneOf(t)
  scene.lease.start()
  await until(() => scene.deadline() > 0)
  scene.lease.renew()
  await until(() => scene.bucket.puts === 2)
  t.notOk(scene.events.some(({ kind }) => kind === 'fenced'))
  scene.bucket.revision = 0
  scene.clock.now = 20_000
  scene.lease.renew()
  await until(() => scene.deadline() === 20_000 + LEASE)
  t.ok(scene.events.some(({ kind }) => kind === 'fenced'))
})

t.test('another process with this id ends the lease for good', async (t) => {
  const scene = sceneOf(t)
  scene.lease.start()
  await until(() => scene.deadline() > 0)
  scene.bucket.set(encodeMemberRecord({ ...RECORD, incarnation: '0000000000000000' }))
  scene.lease.renew()
  await until(() => scene.events.some(({ kind }) => kind === 'duplicate'))
  t.equal(scene.deadline(), 0)
  scene.lease.renew()
  await new Promise((resolve) => setImmediate(resolve))
  t.match(scene.bucket.value, '0000000000000000', 'the other one keeps the record')
})

t.test('what an earlier process left is taken over', async (t) => {
  const scene = sceneOf(t)
  scene.bucket.set(encodeMemberRecord({ ...RECORD, incarnation: '0000000000000000' }))
  scene.lease.start()
  await until(() => scene.deadline() > 0)
  t.notOk(scene.events.some(({ kind }) => kind === 'duplicate'))
})
