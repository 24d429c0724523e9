import { AccessPart } from '../../fleet/access/accessPart.ts'
import type { FleetPart } from '../../fleet/part.ts'
import { WorkPart } from '../../fleet/work/workPart.ts'
import { LARGEST_TEMPLATE } from '../../mining/workTemplate.ts'
import type { FleetOptions } from '../options/fleetOptions.ts'

/**
 * The parts that run in the fleet thread beside presence, heads and transactions, in the order in which they are
 * started.
 */
export function createFleetParts({ fleet }: FleetOptions): readonly FleetPart[] {
  return [new AccessPart(fleet.zone), new WorkPart(LARGEST_TEMPLATE)]
}
