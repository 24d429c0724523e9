import { AccessPart } from '../../fleet/access/accessPart.ts'
import { FilterPart } from '../../fleet/filters/filterPart.ts'
import type { FleetPart } from '../../fleet/part.ts'
import type { WorkPart } from '../../fleet/work/workPart.ts'
import { bootClock } from '../../native/bootClock.ts'
import type { FleetOptions } from '../options/fleetOptions.ts'

/**
 * What runs in the fleet thread beside the member, in the order in which it is started.
 * @param work also called by the chain thread
 */
export function createFleetParts({ timezone, lease }: FleetOptions, work: WorkPart): readonly FleetPart[] {
  return [new AccessPart({ timezone, lease, now: bootClock, wall: Date.now }), new FilterPart(), work]
}
