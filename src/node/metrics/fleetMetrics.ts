import type { FleetStatus, MemberStatus } from '../../fleet/interface.ts'
import type { Metrics } from '../../observe/metrics.ts'
import { WAIT_BUCKETS, type WaitCounts } from '../../util/waits.ts'

/** Sources of the metrics of a member of a fleet. */
export interface FleetMetricsSources {
  /** The last status that the fleet thread reported; undefined before. */
  status(): FleetStatus | undefined
  /** Time for which polls waited for other members. */
  polls(): WaitCounts
  /** Seconds in which the present fleet thread was not idle. */
  busySeconds(): number
}

/** Declares the metrics of a member of a fleet. */
export function addFleetMetrics(metrics: Metrics, { status, polls, busySeconds }: FleetMetricsSources): void {
  type Kind = 'counter' | 'gauge'
  const one = (type: Kind, name: string, help: string, value: () => number) =>
    metrics.samples({ type, name, help, collect: () => [{ value: value() }] })
  const each = (
    [type, name, label]: readonly [Kind, string, string],
    help: string,
    values: (now: FleetStatus) => Readonly<Record<string, number>>,
  ) => {
    const collect = () => {
      const now = status()
      const entries = now === undefined ? [] : Object.entries(values(now))
      return entries.map(([key, value]) => ({ labels: { [label]: key }, value }))
    }
    metrics.samples({ type, name, help, labels: [label], collect })
  }
  const members = () => status()?.members ?? []
  const count = (holds: (member: MemberStatus) => boolean) => members().filter(holds).length

  one('gauge', 'fleet_connected_info', '1 while NATS is reached, otherwise 0.', () =>
    Number(status()?.connected === true),
  )
  one('gauge', 'fleet_present_info', '1 while other members count on this one, otherwise 0.', () =>
    Number(status()?.present === true),
  )
  each(
    ['gauge', 'fleet_members_count', 'present'],
    'Other members that announced themselves in the last ten minutes, by whether they are present.',
    () => ({ yes: count(({ present }) => present), no: count(({ present }) => !present) }),
  )
  one(
    'gauge',
    'fleet_late_members_count',
    'Members that blocks are not waited for because they were late for three in a row.',
    () => count(({ late }) => late),
  )
  one(
    'gauge',
    'fleet_unlinked_members_count',
    'Present members without a connection of peers with this one.',
    () => count(({ present, linked }) => present && linked === false),
  )
  one(
    'gauge',
    'fleet_clock_difference_seconds',
    'By how much the clock of a present member differs from the own one at most.',
    () =>
      Math.max(0, ...members().map(({ present, clockAhead }) => (present ? Math.abs(clockAhead) : 0))) / 1000,
  )
  each(
    ['counter', 'fleet_adopted_blocks_total', 'why'],
    'Blocks that waited for other members, by why they were adopted.',
    ({ adoptions }) => adoptions,
  )
  each(
    ['counter', 'fleet_events_total', 'event'],
    'What the fleet thread counted: messages that were skipped, transactions that were announced and received, and more.',
    ({ counts }) => counts,
  )
  one(
    'counter',
    'fleet_thread_busy_seconds_total',
    'Time in which the fleet thread was not idle.',
    busySeconds,
  )
  metrics.distributions({
    name: 'fleet_wait_seconds',
    help: 'How long blocks waited for other members to be adopted, answers to sends, and polls of filters.',
    labels: ['reason'],
    buckets: WAIT_BUCKETS,
    collect: () =>
      Object.entries({ ...status()?.waits, poll: polls() }).map(([reason, waits]) => ({
        labels: { reason },
        ...waits,
      })),
  })
}
