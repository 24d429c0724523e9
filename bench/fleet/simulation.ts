import { renewalInterval } from '../../src/fleet/lease/leaseTimes.ts'
import { ANNOUNCED_BLOCKS } from '../../src/fleet/member/announcement.ts'
import type { Row } from '../report/results.ts'
import type { JetStreamSpeed } from './jetStream.ts'

/** A fleet that is computed. Rates are by second. */
export interface FleetSize {
  readonly members: number
  readonly clients: number
  /** Of a lease, milliseconds. */
  readonly lease: number
  readonly blocksPerSecond: number
  readonly blockBytes: number
  readonly transactionsPerSecond: number
  readonly transactionBytes: number
  /** Share of the clients that poll a filter, and seconds between two polls. */
  readonly polling: number
  readonly pollSeconds: number
  /** API keys that are used within a second, and at how many members each of them. */
  readonly keys: number
  readonly membersPerKey: number
  readonly pools: number
}

/** 1,000 members and a million clients on the main network of Rootstock: a block every 25 s, 10 transactions a second. */
export const LARGE_FLEET: FleetSize = {
  members: 1000,
  clients: 1_000_000,
  lease: 3000,
  blocksPerSecond: 1 / 25,
  blockBytes: 60_000,
  transactionsPerSecond: 10,
  transactionBytes: 220,
  polling: 0.1,
  pollSeconds: 4,
  keys: 10_000,
  membersPerKey: 3,
  pools: 20,
}

/** What the fleet asks of NATS for one purpose, by second. */
export interface Demand {
  readonly purpose: string
  /** Where fleet.md says so. */
  readonly rule: string
  /** Stored by JetStream with its replicas: publishes to streams, writes to buckets. */
  readonly stored: number
  /** Compare-and-sets among them. */
  readonly sets: number
  /** Messages that servers hand to members, also of calls. */
  readonly delivered: number
  /** Bytes of these. */
  readonly bytes: number
}

/** Of a block in an announcement, and of the rest of it. */
const BLOCK_FIELDS = 48
const EXECUTED_BYTES = 100 + ANNOUNCED_BLOCKS * BLOCK_FIELDS
/** Bytes of a lease, a head entry, a prepare, a report of an executed block, units asked for, a day's block of a quota. */
const BYTES = {
  lease: 160,
  memberId: 17,
  headEntry: 120,
  call: 120,
  executed: EXECUTED_BYTES,
  usage: 400,
  quota: 40,
  poll: 160,
  position: 40,
}
/** Bytes of a work template for pools. */
const TEMPLATE = 60_000
/** Seconds for which a template holds. */
const TEMPLATE_SECONDS = 15
/** Parts in which a day's quota is reserved (fleet.md §7). */
const QUOTA_PARTS = 100
const DAY = 86_400

/** What a fleet of a size asks of NATS (fleet.md). */
export function demandsOf(size: FleetSize): Demand[] {
  const { members: n, lease, blocksPerSecond: blocks, transactionsPerSecond: transactions } = size
  const ownRenewals = 1000 / renewalInterval(lease)
  const renewals = n * ownRenewals
  const polls = ((size.clients * size.polling) / size.pollSeconds) * ((n - 1) / n)
  const headBytes = BYTES.headEntry + n * BYTES.memberId
  const grants = Math.min(n, size.keys * size.membersPerKey)
  const reservations = (size.keys * QUOTA_PARTS) / DAY
  const templates = 1 / TEMPLATE_SECONDS + blocks
  const demand = (
    purpose: string,
    rule: string,
    stored: number,
    delivered: number,
    bytesEach: number,
    sets = 0,
  ): Demand => ({ purpose, rule, stored, sets, delivered, bytes: (stored + delivered) * bytesEach })
  return [
    // Every member watches all leases: to know whom it may call, and to find the lease of the leader over.
    demand('leases of members', 'leases', renewals, renewals * n, BYTES.lease, renewals),
    demand('lease of the leader', 'leases', ownRenewals, ownRenewals * n, BYTES.lease, ownRenewals),
    // Heard by everybody, because anybody may become the leader.
    demand('blocks that were executed', 'the fleet head', 0, (renewals + blocks * n) * n, BYTES.executed),
    demand('prepare and its answer', 'the fleet head', 0, 2 * n * blocks, BYTES.call),
    demand('heads', 'the fleet head', blocks, blocks * n, headBytes, blocks),
    demand('transactions', 'transactions', transactions, transactions * n, size.transactionBytes),
    // What all members have applied: each says so to the leader, which tells all.
    demand('positions in the log', 'transactions', 0, 2 * n * transactions, BYTES.position),
    demand('blocks', 'blocks', blocks, blocks * n, size.blockBytes),
    demand('polls at another member', 'filters', 0, 2 * polls, BYTES.poll),
    demand('usage', 'keys, quotas, usage', n, n * n, BYTES.usage),
    demand('units for keys', 'keys, quotas, usage', 0, 2 * grants * GRANTS_PER_SECOND, BYTES.call * 4),
    demand('quotas of days', 'keys, quotas, usage', reservations, 0, BYTES.quota, reservations),
    demand('work templates', 'work for pools', templates, templates * n, TEMPLATE),
  ]
}

/** Requests for units of a member that has use for them, all keys in one. */
const GRANTS_PER_SECOND = 10

/** The demands beside what NATS was measured to do. */
export function simulationRows(size: FleetSize, speeds: readonly JetStreamSpeed[]): Row[] {
  const demands = demandsOf(size)
  const sum = (key: 'stored' | 'sets' | 'delivered' | 'bytes') =>
    demands.reduce((total, demand) => total + demand[key], 0)
  const round = (value: number) => (value >= 10 ? Math.round(value) : Number(value.toPrecision(2)))
  const rowOf = ({ purpose, rule, stored, sets, delivered, bytes }: Demand): Row => ({
    purpose,
    rule,
    'stored/s': round(stored),
    'of these sets/s': round(sets),
    'delivered/s': round(delivered),
    'MB/s': round(bytes / 1e6),
  })
  const total = {
    purpose: '**together**',
    rule: '',
    stored: sum('stored'),
    sets: sum('sets'),
    delivered: sum('delivered'),
    bytes: sum('bytes'),
  }
  const speed = (part: string) => speeds.find(({ work }) => work.includes(part))?.perSecond ?? 0
  const measured = {
    purpose: '**measured here**',
    rule: '',
    stored: speed('publish of a transaction, 256'),
    sets: speed('compare-and-set of 256'),
    delivered: speed('deliveries'),
    bytes: 0,
  }
  return [...demands.map(rowOf), rowOf(total), { ...rowOf(measured), 'MB/s': '' }]
}

/** The most members of a fleet otherwise of a size whose messages NATS was measured to deliver. */
export function mostMembers(size: FleetSize, speeds: readonly JetStreamSpeed[]): number {
  const most = speeds.find(({ work }) => work.includes('deliveries'))?.perSecond ?? 0
  const delivered = (members: number) =>
    demandsOf({ ...size, members }).reduce((sum, demand) => sum + demand.delivered, 0)
  let members = 1
  while (members < size.members && delivered(members + 1) <= most) members += 1
  return members
}
