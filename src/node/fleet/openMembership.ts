import type { Config } from '../../config/schema.ts'
import type { Logger } from '../../observe/logger.ts'
import { fleetOptionsFromConfig } from '../options/fleetOptions.ts'
import { ALONE, type Membership } from './membership.ts'

/**
 * The membership of a node with a configuration.
 * @param version of the program
 * @throws ConfigError, FleetError for a data directory whose id cannot be read
 */
export async function openMembership(config: Config, version: string, log: Logger): Promise<Membership> {
  const options = fleetOptionsFromConfig(config, version)
  if (options === null) return ALONE
  // Loaded with the libraries of NATS where there is a fleet.
  const { FleetFront } = await import('./fleetFront.ts')
  return new FleetFront(options, log)
}
