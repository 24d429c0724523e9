import { LeaderLease } from '../../../src/fleet/lease/leader.ts'
import { OwnLease } from '../../../src/fleet/lease/lease.ts'
import type { MemberRecord } from '../../../src/fleet/lease/memberRecord.ts'
import { FleetNames } from '../../../src/fleet/nats/names.ts'
import { connectFleet } from '../../../src/fleet/nats/natsConnection.ts'
import { openBucket } from '../../../src/fleet/nats/provision.ts'
import { bootClock } from '../../../src/native/bootClock.ts'
import { connectionTo } from './connections.ts'

// A process that holds a lease and does what it may only do while it holds it, and prints when it did: the boot clock
// is the same for all processes of a machine, so that a test can order what two of them did.

const [servers = '', fleet = '', id = '', lease = ''] = process.argv.slice(2)
/** Milliseconds between two looks at the lease. */
const ACT_EVERY = 5

const connection = await connectFleet({ ...connectionTo(servers.split(',')), silence: Number(lease) })
const names = new FleetNames(fleet)
const shared = { deadline: new Float64Array(new SharedArrayBuffer(8)) }
const incarnation = Buffer.from(`${process.pid}`.padStart(8)).toString('hex')
const record: MemberRecord = {
  incarnation,
  name: id,
  number: 1,
  version: 'test',
  serves: true,
  head: null,
  lag: null,
  load: 0,
  over: false,
}
const print = (event: object) => process.stdout.write(`${JSON.stringify({ ...event, at: bootClock() })}\n`)
const own = new OwnLease({
  bucket: await openBucket(connection.nats, names.members),
  id,
  lease: Number(lease),
  clock: bootClock,
  shared,
  health: async () => undefined,
  record: () => record,
  onEvent: ({ kind }) => print({ kind }),
})
const leader = new LeaderLease({
  bucket: await openBucket(connection.nats, names.state),
  self: id,
  incarnation,
  lease: Number(lease),
  clock: bootClock,
  mayLead: () => own.isHeld,
  knownEpoch: () => 0,
  onEvent: (event) => {
    if (event.kind === 'taken' || event.kind === 'lost') print(event)
  },
})
connection.onEvent(({ kind }) => {
  if (kind !== 'connected') return
  own.renew()
  leader.reconnected()
})
own.start()
leader.start()
setInterval(() => {
  if (bootClock() < (shared.deadline[0] ?? 0))
    print({ kind: 'acts', leads: leader.isLeader, epoch: leader.epoch })
}, ACT_EVERY)
process.once('SIGUSR2', () => leader.resign())
process.once('SIGTERM', async () => {
  await leader.stop()
  await own.release()
  await connection.close()
  process.exit()
})
