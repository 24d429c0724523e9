import type { FleetAbsence, FleetStatus } from '../../fleet/interface.ts'
import type { FleetGate } from '../../gateway/entrance/fleetGate.ts'
import { HOLD_BUCKETS } from '../../gateway/entrance/holdTimes.ts'
import type { Metrics } from '../../observe/metrics.ts'

/** Sources of the metrics of a member of a fleet. */
export interface FleetMetricsSources {
  /** null until the service listens. */
  gate(): FleetGate | null
  /** What the fleet thread told last; null before. */
  status(): FleetStatus | null
  /** Seconds in which the present fleet thread was not idle. */
  busySeconds(): number
}

const ABSENCES: readonly FleetAbsence[] = ['joining', 'cutOff', 'held', 'unsigned', 'draining']

/** Declares the metrics of a member of a fleet. */
export function addFleetMetrics(metrics: Metrics, { gate, status, busySeconds }: FleetMetricsSources): void {
  const { samples, distributions } = metrics
  const one = (value: number | null | undefined) => (value === null || value === undefined ? [] : [{ value }])
  samples({
    type: 'gauge',
    name: 'fleet_serving_info',
    help: '1 while this member answers what depends on the head, otherwise 0.',
    collect: () => {
      const now = gate()
      return [{ value: now !== null && now.absence === null ? 1 : 0 }]
    },
  })
  samples({
    type: 'gauge',
    name: 'fleet_absence_info',
    help: 'Why this member does not answer what depends on the head: 1 for the present reason.',
    collect: () => {
      const absence = gate()?.absence ?? null
      return ABSENCES.map((name) => ({ labels: { absence: name }, value: name === absence ? 1 : 0 }))
    },
  })
  samples({
    type: 'gauge',
    name: 'fleet_lease_remaining_seconds',
    help: 'Time until the lease of this member ends unless it is renewed; negative when it has ended.',
    // Without any lease so far there is no deadline to count from.
    collect: () => one(leaseSeconds(gate())),
  })
  samples({
    type: 'gauge',
    name: 'fleet_head_number',
    help: 'Height of the head that all members have.',
    collect: () => one(status()?.head?.number),
  })
  samples({
    type: 'gauge',
    name: 'fleet_head_revision_number',
    help: 'Sequence of the entry of the log that named the head of all members.',
    collect: () => one(status()?.head?.revision),
  })
  samples({
    type: 'gauge',
    name: 'fleet_missing_signatures_count',
    help: 'Signatures that the next head, or the head that this member may not serve, lacks; 0 when the head waits for none.',
    collect: () => {
      const now = status()
      return now === null ? [] : [{ value: now.waits ? now.waits.needed - now.waits.signatures : 0 }]
    },
  })
  samples({
    type: 'gauge',
    name: 'fleet_log_standstill_seconds',
    help: 'For how long sends have waited for a member that does not apply the log; 0 when none do.',
    collect: () => {
      const now = status()
      return now === null ? [] : [{ value: now.standstill / 1000 }]
    },
  })
  samples({
    type: 'gauge',
    name: 'fleet_members_count',
    help: 'Members of the fleet that this member knows, by whether they serve.',
    collect: () => {
      const members = status()?.members
      if (members === undefined) return []
      const serving = members.filter(({ serves }) => serves).length
      return [
        { labels: { serves: 'yes' }, value: serving },
        { labels: { serves: 'no' }, value: members.length - serving },
      ]
    },
  })
  samples({
    type: 'gauge',
    name: 'fleet_member_lag_seconds',
    help: 'By how much the head of a member is behind that of the fleet, as it told last.',
    collect: () =>
      (status()?.members ?? []).flatMap(({ id, lag }) =>
        lag === null ? [] : [{ labels: { member: id }, value: lag / 1000 }],
      ),
  })
  samples({
    type: 'gauge',
    name: 'fleet_member_load_ratio',
    help: 'Share of time in which the busiest thread of a member was not idle, as it told last.',
    collect: () => (status()?.members ?? []).map(({ id, load }) => ({ labels: { member: id }, value: load })),
  })
  samples({
    type: 'gauge',
    name: 'fleet_leader_info',
    help: '1 while this member has the lease of the leader, otherwise 0.',
    collect: () => [{ value: status()?.isLeader === true ? 1 : 0 }],
  })
  distributions({
    name: 'fleet_hold_seconds',
    help: 'For how long requests were held for changes of the head.',
    buckets: HOLD_BUCKETS,
    collect: () => {
      const holds = gate()?.holds
      return holds === undefined ? [] : [{ labels: {}, counts: holds.counts, sum: holds.seconds }]
    },
  })
  samples({
    type: 'counter',
    name: 'fleet_late_holds_total',
    help: 'Holds that took longer than --fleet-hold, so that what waited was refused.',
    collect: () => one(gate()?.holds.late),
  })
  samples({
    type: 'gauge',
    name: 'fleet_held_bodies_count',
    help: 'Bodies of requests that wait for a change of the head.',
    collect: () => one(gate()?.waiting),
  })
  samples({
    type: 'counter',
    name: 'fleet_events_total',
    help: 'What the fleet thread counted: rounds, messages that were skipped, entries of the log and more.',
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

function leaseSeconds(gate: FleetGate | null): number | null {
  return gate === null || !gate.hasLease ? null : gate.leaseLeft / 1000
}
