import { setTimeout as sleep } from 'node:timers/promises'
import { newLife } from '../storage/access/lifeUsage.ts'
import type { FleetStatus } from './interface.ts'
import type { MemberId } from './member.ts'
import { findStream } from './nats/buckets.ts'
import { MemberCalls } from './nats/calls.ts'
import type { FleetNames } from './nats/names.ts'
import type { FleetConnection } from './nats/natsConnection.ts'
import { CLOCK_DIFFERENCE } from './presence/members.ts'
import { decodePresence, type Presence } from './presence/presence.ts'
import { STATUS_SERVICE } from './runtime/fleetRuntime.ts'

/** Milliseconds for which members are listened to: two of their presences. */
const LISTEN = 1200
const PATIENCE = 2000

/** A member as `fleet status` shows it: what it announces. */
export interface ReportedMember extends Presence {
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

/** The output of `fleet status`. */
export interface FleetReport {
  readonly fleet: string
  readonly members: readonly ReportedMember[]
  readonly buckets: readonly ReportedBucket[]
  /** The faults that were found, each a clause. */
  readonly problems: readonly string[]
}

/** Listens to the members of a fleet and looks at its buckets. @throws FleetError */
export async function readFleetReport(connection: FleetConnection, names: FleetNames): Promise<FleetReport> {
  const problems: string[] = []
  const found = await listen(connection, names, problems)
  const nameOf = (id: MemberId) => found.get(id)?.name ?? id
  const calls = new MemberCalls(connection, names, newLife())
  const ask = async (id: MemberId): Promise<readonly FleetStatus[]> => {
    const answer = await calls.call(id, STATUS_SERVICE, Buffer.alloc(0), PATIENCE).catch(() => null)
    return answer === null ? [] : [JSON.parse(answer.toString()) as FleetStatus]
  }
  for (const { self, reason, members } of (await Promise.all([...found.keys()].map(ask))).flat()) {
    if (reason !== null) problems.push(`${nameOf(self)} is not present: ${reason}`)
    for (const { id, name, reason: why, present, linked } of members) {
      if (why !== null && found.has(id)) problems.push(`${nameOf(self)} finds ${name} ${why}`)
      if (present && linked === false)
        problems.push(`${nameOf(self)} and ${name} have no connection as peers`)
    }
  }
  const members = [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  for (const { name, clockAhead } of members)
    if (Math.abs(clockAhead) > CLOCK_DIFFERENCE)
      problems.push(`the clock of ${name} is off by ${clockAhead} ms`)
  if (members.length === 0) problems.push('no member is known')
  const buckets: ReportedBucket[] = []
  for (const name of [names.keys, names.counters]) {
    const info = await findStream(connection.nats, `KV_${name}`)
    if (info === null) {
      problems.push(`the bucket ${name} is missing: run \`rhizome fleet init\``)
      continue
    }
    const replicas = info.config.num_replicas
    const others = info.cluster?.replicas ?? []
    const current = 1 + others.filter((other) => other.current && other.offline !== true).length
    if (current < replicas)
      problems.push(`the bucket ${name} is up to date on ${current} of ${replicas} servers`)
    buckets.push({ name, replicas, current, bytes: info.state.bytes })
  }
  return { fleet: names.fleet, members, buckets, problems }
}

async function listen({ nats }: FleetConnection, names: FleetNames, problems: string[]) {
  const found = new Map<MemberId, ReportedMember>()
  let malformed = 0
  const subscription = nats.subscribe(names.subject('presence'), {
    callback: (_error, { data }) => {
      try {
        const presence = decodePresence(Buffer.from(data))
        if (presence !== null)
          found.set(presence.id, { ...presence, clockAhead: presence.clock - Date.now() })
      } catch {
        malformed += 1
      }
    },
  })
  await sleep(LISTEN)
  subscription.unsubscribe()
  if (malformed > 0) problems.push(`${malformed} presences do not parse`)
  return found
}
