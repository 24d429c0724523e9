import type { FleetStatus } from '../../fleet/interface.ts'
import type { Metrics } from '../../observe/metrics.ts'
import { WAIT_BUCKETS, type WaitCounts } from '../../util/waits.ts'

/** Sources of the metrics of a member of a fleet. */
export interface FleetMetricsSources {
  /** The last status that the fleet thread told; undefined before. */
  status(): FleetStatus | undefined
  /** How long polls waited for other members. */
  polls(): WaitCounts
  /** Seconds in which the present fleet thread was not idle. */
  busySeconds(): number
}

/** Declares the metrics of a member of a fleet. */
export function addFleetMetrics(metrics: Metrics, { status, polls, busySeconds }: FleetMetricsSources): void {
  const { samples } = metrics
  const members = () => status()?.members ?? []
  samples({
    type: 'gauge',
    name: 'fleet_connected_info',
    help: '1 while NATS is reached, otherwise 0.',
    collect: () => [{ value: status()?.connected === true ? 1 : 0 }],
  })
  samples({
    type: 'gauge',
    name: 'fleet_present_info',
    help: '1 while other members count on this one, otherwise 0.',
    collect: () => [{ value: status()?.present === true ? 1 : 0 }],
  })
  samples({
    type: 'gauge',
    name: 'fleet_members_count',
    help: 'Other members that were heard in the last ten minutes, by whether they are present.',
    labels: ['present'],
    collect: () => {
      const present = members().filter((member) => member.present).length
      return [
        { labels: { present: 'yes' }, value: present },
        { labels: { present: 'no' }, value: members().length - present },
      ]
    },
  })
  samples({
    type: 'gauge',
    name: 'fleet_late_members_count',
    help: 'Members that blocks are not waited for because they were late for three in a row.',
    collect: () => [{ value: members().filter(({ late }) => late).length }],
  })
  samples({
    type: 'gauge',
    name: 'fleet_unlinked_members_count',
    help: 'Present members without a connection of peers with this one.',
    collect: () => [{ value: members().filter(({ present, linked }) => present && linked === false).length }],
  })
  samples({
    type: 'gauge',
    name: 'fleet_clock_difference_seconds',
    help: 'By how much the clock of a present member differs from the own one at most.',
    collect: () => {
      const differences = members().map(({ present, clockAhead }) => (present ? Math.abs(clockAhead) : 0))
      return [{ value: Math.max(0, ...differences) / 1000 }]
    },
  })
  samples({
    type: 'counter',
    name: 'fleet_adopted_blocks_total',
    help: 'Blocks that waited for other members, by why they were adopted.',
    labels: ['why'],
    collect: () =>
      Object.entries(status()?.adoptions ?? {}).map(([why, value]) => ({ labels: { why }, value })),
  })
  samples({
    type: 'gauge',
    name: 'fleet_adopt_wait_seconds',
    help: 'How long the last 1,000 blocks waited for other members.',
    labels: ['quantile'],
    collect: () => {
      const waits = status()?.waits
      if (waits === undefined) return []
      return [
        { labels: { quantile: '0.5' }, value: waits.p50 / 1000 },
        { labels: { quantile: '0.99' }, value: waits.p99 / 1000 },
      ]
    },
  })
  metrics.distributions({
    name: 'fleet_wait_seconds',
    help: 'How long requests waited for other members: answers to sends, and polls of filters.',
    labels: ['reason'],
    buckets: WAIT_BUCKETS,
    collect: () => {
      const sends = status()?.sends
      return [
        ...(sends === undefined ? [] : [{ labels: { reason: 'send' }, ...sends }]),
        { labels: { reason: 'poll' }, ...polls() },
      ]
    },
  })
  samples({
    type: 'counter',
    name: 'fleet_events_total',
    help: 'What the fleet thread counted: messages that were skipped, transactions that were told and heard, and more.',
    labels: ['event'],
    collect: () =>
      Object.entries(status()?.counts ?? {}).map(([event, value]) => ({ labels: { event }, value })),
  })
  samples({
    type: 'counter',
    name: 'fleet_thread_busy_seconds_total',
    help: 'Time in which the fleet thread was not idle.',
    collect: () => [{ value: busySeconds() }],
  })
}
