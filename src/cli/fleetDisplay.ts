import type { FleetReport, MemberReport, StreamReport } from '../fleet/fleetReport.ts'
import type { NatsServerState } from '../fleet/nats/servers.ts'
import { formatBytes } from './fleetCommand.ts'
import { textTable } from './textTable.ts'

const SHOWN_HASH = 10

/** A report of `fleet status` as text. */
export function formatFleetReport({
  fleet,
  servers,
  streams,
  leader,
  members,
  snapshots,
  problems,
}: FleetReport): string {
  const sections = [
    headline(fleet, members, leader),
    servers === null
      ? 'servers: not verified whether they write to disk before they acknowledge: give --fleet-system\n'
      : textTable(
          ['server', 'version', 'writes before it acknowledges', 'disk', 'reserved'],
          servers.map(serverRow),
        ),
    textTable(
      ['stream', 'replicas', 'leader', 'behind', 'messages', 'size', 'limit'],
      streams.map(streamRow),
    ),
    members.length === 0
      ? 'no members\n'
      : textTable(
          ['number', 'member', 'id', 'state', 'renewed', 'head', 'hash', 'lag', 'version', 'load'],
          members.map((member) => memberRow(member, leader?.id ?? null)),
        ),
    ...(snapshots.length === 0
      ? []
      : [
          textTable(
            ['snapshot of block', 'made by', 'signatures', 'id'],
            snapshots.map((snapshot) => snapshotRow(snapshot, members)),
          ),
        ]),
    ...(problems.length === 0 ? [] : [problems.map((problem) => `wrong: ${problem}\n`).join('')]),
  ]
  return sections.join('\n')
}

function headline(fleet: string, members: readonly MemberReport[], leader: FleetReport['leader']): string {
  const serving = members.filter(({ serves, isOver }) => serves && !isOver).length
  const name = members.find(({ id }) => id === leader?.id)?.name ?? leader?.id ?? 'none'
  const epoch = leader === null ? '' : `, epoch ${leader.epoch}`
  return `fleet ${fleet}: ${serving} of ${members.length} members serve, leader ${name}${epoch}\n`
}

function snapshotRow(
  { number, maker, signers, id }: FleetReport['snapshots'][number],
  members: readonly MemberReport[],
): readonly string[] {
  const name = members.find((member) => member.id === maker)?.name ?? maker
  return [String(number), name, String(signers.length), id.slice(0, SHOWN_HASH)]
}

function serverRow({ name, version, syncsAlways, storage, reserved }: NatsServerState): readonly string[] {
  const syncs = syncsAlways === null ? 'no JetStream' : syncsAlways ? 'yes' : 'no'
  return [name, version, syncs, formatBytes(storage), formatBytes(reserved)]
}

function streamRow(stream: StreamReport): readonly string[] {
  const { name, current, replicas, leader, lag, messages, bytes, limit } = stream
  return [
    name,
    `${current}/${replicas}`,
    leader ?? '-',
    String(lag),
    String(messages),
    formatBytes(bytes),
    limit < 0 ? '-' : formatBytes(limit),
  ]
}

function memberRow(member: MemberReport, leader: string | null): readonly string[] {
  const { number, name, id, serves, isOver, age, head, lag, version, load } = member
  const state = isOver ? 'gone' : serves ? 'serves' : 'does not serve'
  return [
    String(number),
    name,
    id,
    id === leader && !isOver ? `${state}, leads` : state,
    `${(age / 1000).toFixed(1)} s ago`,
    head === null ? '-' : String(head.number),
    head === null ? '-' : head.hash.slice(0, SHOWN_HASH),
    lag === null ? '-' : `${Math.round(lag)} ms`,
    version,
    `${Math.round(load * 100)} %`,
  ]
}
