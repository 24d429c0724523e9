import type { Config } from '../../config/schema.ts'
import type { Logger } from '../../observe/logger.ts'
import { fleetOptionsFromConfig } from '../options/fleetOptions.ts'
import { FleetFront } from './fleetFront.ts'
import { ALONE, type Membership } from './membership.ts'

/**
 * The membership of a node with a configuration.
 * @param version of the program
 * @throws ConfigError, FleetError for a data directory whose id cannot be read
 */
export function openMembership(config: Config, version: string, log: Logger): Membership {
  const options = fleetOptionsFromConfig(config, version)
  return options === null ? ALONE : new FleetFront(options, log)
}
