import { NodeError } from '../errors.ts'
import type { FleetHandle, FleetHandleParts } from './parts.ts'

/**
 * Starts the fleet thread.
 * @throws NodeError
 */
export async function startFleetThread(_parts: FleetHandleParts): Promise<FleetHandle> {
  throw new NodeError('FLEET_THREAD', 'the fleet thread is not there yet')
}
