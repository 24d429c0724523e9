import { AccessPart } from '../../fleet/access/accessPart.ts'
import type { FleetPart } from '../../fleet/part.ts'
import { bootClock } from '../../native/bootClock.ts'
import type { FleetOptions } from '../options/fleetOptions.ts'

/** What runs in the fleet thread beside the member, in the order in which it is started. */
export function createFleetParts({ timezone, lease }: FleetOptions): readonly FleetPart[] {
  return [new AccessPart({ timezone, lease, now: bootClock, wall: Date.now })]
}
