import type { FleetPart } from '../../fleet/part.ts'
import type { FleetOptions } from '../options/fleetOptions.ts'

/** What runs in the fleet thread beside presence, heads and transactions, in the order in which it is started. */
export function createFleetParts(_options: FleetOptions): readonly FleetPart[] {
  return []
}
