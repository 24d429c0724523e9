import type { Config, OptionKey } from '../config/schema.ts'
import { FleetError } from '../fleet/errors.ts'
import { FleetNames } from '../fleet/nats/names.ts'
import { connectFleet, type FleetConnection } from '../fleet/nats/natsConnection.ts'
import { connectionFromConfig } from '../node/options/fleetOptions.ts'
import { CommandError } from './errors.ts'
import { EXIT_CODES } from './exitCodes.ts'

/** Options of commands that talk to the NATS servers of a fleet. */
export const FLEET_CONNECTION_OPTIONS = [
  'config',
  'fleet',
  'fleetName',
  'fleetCredentials',
  'fleetUser',
  'fleetPassword',
  'fleetCa',
  'fleetCert',
  'fleetKey',
] as const satisfies readonly OptionKey[]

type Tools = { readonly connection: FleetConnection; readonly names: FleetNames }

/** Milliseconds for which a command waits for a server. */
const PATIENCE = 5000

/**
 * Runs a command with a connection to NATS.
 * @throws CommandError with what to do
 */
export async function withFleet<T>(config: Config, run: (tools: Tools) => Promise<T>): Promise<T> {
  if (config.fleet.length === 0) {
    throw new CommandError(
      'Failed',
      'no fleet is given: name its NATS servers with --fleet',
      EXIT_CODES.usage,
    )
  }
  try {
    const names = new FleetNames(config.fleetName)
    const connection = await connectFleet(connectionFromConfig(config, 'rhizome fleet', PATIENCE))
    try {
      return await run({ connection, names })
    } finally {
      await connection.close()
    }
  } catch (error) {
    if (!(error instanceof FleetError)) throw error
    throw new CommandError('Failed', error.message, EXIT_CODES.failed, { cause: error })
  }
}
