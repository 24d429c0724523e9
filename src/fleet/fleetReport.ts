import type { StreamInfo } from '@nats-io/jetstream'
import type { MemberId } from './interface.ts'
import { observedLifetime } from './lease/leaseTimes.ts'
import type { FleetNames } from './nats/names.ts'
import type { FleetConnection, FleetConnectionOptions } from './nats/natsConnection.ts'
import { describeDifference, readResources } from './nats/provision.ts'
import { type NatsServerState, readServers, serverProblems } from './nats/servers.ts'
import { type ListedMember, readMembers } from './readMembers.ts'
import { SnapshotObjects, type StoredSnapshot } from './snapshots/snapshotObjects.ts'

/** What a look at a fleet from outside finds. Plain values, which are JSON as they are. */
export interface FleetReport {
  readonly fleet: string
  /** Null when there is no user of the system account to ask with. */
  readonly servers: readonly NatsServerState[] | null
  readonly streams: readonly StreamReport[]
  readonly leader: { readonly id: MemberId | null; readonly epoch: number } | null
  readonly members: readonly MemberReport[]
  /** The newest first; signatures are counted and not checked. */
  readonly snapshots: readonly StoredSnapshot[]
  /** Clauses; empty when all is well. */
  readonly problems: readonly string[]
}

/** A stream of a fleet. */
export interface StreamReport {
  readonly name: string
  /** Servers that have all of it. */
  readonly current: number
  readonly replicas: number
  /** Name of the server that leads it; null while none does. */
  readonly leader: string | null
  readonly messages: number
  readonly bytes: number
  /** Largest size, bytes. */
  readonly limit: number
  /** Most operations that a server is behind. */
  readonly lag: number
}

/** A member by its last renewal. */
export interface MemberReport {
  readonly id: MemberId
  readonly number: number
  readonly name: string
  readonly version: string
  readonly serves: boolean
  /** Since that renewal, milliseconds. */
  readonly age: number
  readonly isOver: boolean
  readonly head: { readonly number: number; readonly hash: string } | null
  /** Behind the fleet head, milliseconds. */
  readonly lag: number | null
  readonly load: number
}

export interface FleetReportOptions {
  readonly connection: FleetConnection
  readonly options: FleetConnectionOptions
  readonly names: FleetNames
  /** `user:password` of the system account; null for none. */
  readonly system: string | null
  /** Milliseconds, `--fleet-lease`. */
  readonly lease: number
}

/** Looks at servers, streams and members of a fleet. @throws FleetError */
export async function readFleetReport(options: FleetReportOptions): Promise<FleetReport> {
  const { connection, names, system, lease } = options
  const servers = system === null ? null : await readServers(options.options, system)
  const states = await readResources(connection.nats, names)
  const isMissing = states.some(({ resource: { part }, info }) => part === 'members' && info === null)
  const { members, leader } = isMissing
    ? { members: [], leader: null }
    : await readMembers(connection.nats, names)
  const hasSnapshots = states.some(({ resource: { part }, info }) => part === 'snapshots' && info !== null)
  const snapshots = hasSnapshots ? await (await SnapshotObjects.open(connection.nats, names)).list() : []
  const streams = states.flatMap(({ info }) => (info === null ? [] : [streamReport(info)]))
  return {
    fleet: names.fleet,
    servers,
    streams,
    leader: leader === null ? null : { id: leader.leader, epoch: leader.epoch },
    members: members.map((member) => memberReport(member, lease)),
    snapshots,
    problems: [
      ...(servers === null ? [] : serverProblems(servers)),
      ...states.flatMap(({ differences }) => differences.map(describeDifference)),
      ...streams.filter(({ current, replicas }) => current < replicas).map(describeLack),
      ...describeWaits(members.map((member) => ({ ...memberReport(member, lease), ...member.record }))),
    ],
  }
}

function streamReport({ config, state, cluster }: StreamInfo): StreamReport {
  const others = cluster?.replicas ?? []
  const hasLeader = cluster === undefined || (cluster.leader ?? '') !== ''
  return {
    name: config.name,
    current:
      others.filter(({ current, offline }) => current && offline !== true).length + (hasLeader ? 1 : 0),
    replicas: config.num_replicas,
    leader: cluster?.leader ?? null,
    messages: state.messages,
    bytes: state.bytes,
    limit: config.max_bytes,
    lag: Math.max(0, ...others.map(({ lag }) => lag ?? 0)),
  }
}

function describeLack({ name, current, replicas }: StreamReport): string {
  return `${name} is up to date on ${current} of ${replicas} servers: see whether all servers run`
}

/** A head that stands still for lack of signatures, once for all who say the same. */
function describeWaits(
  members: readonly (Pick<MemberReport, 'isOver'> & Pick<ListedMember['record'], 'name' | 'waits'>)[],
): readonly string[] {
  const names = new Map<string, string[]>()
  for (const { isOver, name, waits } of members)
    if (!isOver && waits) names.set(waits, [...(names.get(waits) ?? []), name])
  return [...names].map(
    ([waits, who]) =>
      `the head stands still: ${waits} (${who.join(', ')}): see whether the members with --fleet-signer-key run`,
  )
}

function memberReport({ id, record, age }: ListedMember, lease: number): MemberReport {
  const { number, name, version, serves, head, lag, load, over } = record
  return {
    id,
    number,
    name,
    version,
    serves,
    age,
    isOver: over || age > observedLifetime(lease),
    head: head && { number: head.number, hash: `0x${head.hash.toString('hex')}` },
    lag,
    load,
  }
}
