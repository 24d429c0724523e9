import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetStatus, MemberId } from './interface.ts'
import { readBuckets } from './nats/buckets.ts'
import { MemberCalls } from './nats/calls.ts'
import type { FleetNames } from './nats/names.ts'
import type { FleetConnection } from './nats/natsConnection.ts'
import { decodePresence, type Presence } from './presence/presence.ts'
import { STATUS_SERVICE } from './runtime/fleetRuntime.ts'

/** Milliseconds for which members are listened to: two of their presences. */
const LISTEN = 1200
const PATIENCE = 2000
/** Milliseconds by which clocks may differ. */
const CLOCK_DIFFERENCE = 1000

/** A member as `fleet status` shows it. */
export interface ReportedMember {
  readonly id: MemberId
  readonly name: string
  readonly version: string
  readonly state: 'ready' | 'leaving' | 'not ready'
  readonly executed: number
  readonly adopted: number
  /** Hash of the adopted block, hex. */
  readonly hash: string
  /** Milliseconds by which its clock is ahead of that of this machine. */
  readonly clockAhead: number
}

/** A bucket as `fleet status` shows it. */
export interface ReportedBucket {
  readonly name: string
  readonly replicas: number
  /** Replicas that have everything. */
  readonly current: number
  readonly bytes: number
}

/** What `fleet status` shows. */
export interface FleetReport {
  readonly fleet: string
  readonly members: readonly ReportedMember[]
  readonly buckets: readonly ReportedBucket[]
  /** What is wrong, each a clause. */
  readonly problems: readonly string[]
}

/** Listens to the members of a fleet and looks at its buckets. @throws FleetError */
export async function readFleetReport({
  connection,
  names,
}: {
  readonly connection: FleetConnection
  readonly names: FleetNames
}): Promise<FleetReport> {
  const problems: string[] = []
  const heard = await listen(connection, names, problems)
  const statuses = await askAll(connection, names, [...heard.keys()])
  for (const { self, reason, members } of statuses) {
    const name = heard.get(self)?.presence.name ?? self
    if (reason !== null) problems.push(`${name} is not present: ${reason}`)
    for (const other of members) {
      if (other.reason !== null && heard.has(other.id))
        problems.push(`${name} finds ${other.name} ${other.reason}`)
      if (other.present && other.linked === false)
        problems.push(`${name} and ${other.name} have no connection as peers`)
    }
  }
  const members = [...heard.values()].map(memberOf).sort((one, other) => (one.id < other.id ? -1 : 1))
  for (const { name, clockAhead } of members)
    if (Math.abs(clockAhead) > CLOCK_DIFFERENCE)
      problems.push(`the clock of ${name} is off by ${clockAhead} ms`)
  if (members.length === 0) problems.push('no member is heard')
  return { fleet: names.fleet, members, buckets: await bucketsOf(connection, names, problems), problems }
}

interface Heard {
  readonly presence: Presence
  readonly clockAhead: number
}

async function listen(
  { nats }: FleetConnection,
  names: FleetNames,
  problems: string[],
): Promise<Map<MemberId, Heard>> {
  const heard = new Map<MemberId, Heard>()
  let malformed = 0
  const subscription = nats.subscribe(names.presence, {
    callback: (error, message) => {
      if (error !== null) return
      try {
        const presence = decodePresence(Buffer.from(message.data))
        if (presence !== null) heard.set(presence.id, { presence, clockAhead: presence.clock - Date.now() })
      } catch {
        malformed += 1
      }
    },
  })
  await sleep(LISTEN)
  subscription.unsubscribe()
  if (malformed > 0) problems.push(`${malformed} presences do not parse`)
  return heard
}

async function askAll(
  connection: FleetConnection,
  names: FleetNames,
  members: readonly MemberId[],
): Promise<readonly FleetStatus[]> {
  const calls = new MemberCalls({ connection, names, self: randomBytes(8).toString('hex') })
  try {
    const answers = await Promise.all(
      members.map((member) =>
        calls.call(member, STATUS_SERVICE, Buffer.alloc(0), PATIENCE).then(
          (answer) => [JSON.parse(answer.toString('utf8')) as FleetStatus],
          () => [],
        ),
      ),
    )
    return answers.flat()
  } finally {
    calls.close()
  }
}

function memberOf({ presence, clockAhead }: Heard): ReportedMember {
  const { id, name, version, ready, draining, executed, adopted } = presence
  return {
    id,
    name,
    version,
    state: draining ? 'leaving' : ready ? 'ready' : 'not ready',
    executed: executed.number,
    adopted: adopted.number,
    hash: adopted.hash.toString('hex'),
    clockAhead,
  }
}

async function bucketsOf(
  { nats }: FleetConnection,
  names: FleetNames,
  problems: string[],
): Promise<readonly ReportedBucket[]> {
  const states = await readBuckets(nats, names)
  return states.flatMap(({ name, info }) => {
    if (info === null) {
      problems.push(`the bucket ${name} is missing: run \`rhizome fleet init\``)
      return []
    }
    const replicas = info.config.num_replicas
    const current =
      1 +
      (info.cluster?.replicas ?? []).filter(
        ({ current: isCurrent, offline }) => isCurrent && offline !== true,
      ).length
    if (current < replicas)
      problems.push(`the bucket ${name} is up to date on ${current} of ${replicas} servers`)
    return [{ name, replicas, current, bytes: info.state.bytes }]
  })
}
