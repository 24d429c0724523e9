import { checkMember } from '../../config/conflicts.ts'
import { isDevelopmentNetwork } from '../../config/networkSpec.ts'
import type { Config } from '../../config/schema.ts'
import type { FleetConnectionOptions } from '../../fleet/nats/natsConnection.ts'
import type { FleetRuntimeOptions } from '../../fleet/runtime/fleetRuntime.ts'
import type { LoggerOptions } from '../../observe/logger.ts'

/** Milliseconds for which a NATS server may take to answer when it is connected to. */
const CONNECT_TIMEOUT_MILLISECONDS = 1000
const SECOND_MILLISECONDS = 1000

/** The options of the fleet thread under a configuration. They survive structured cloning. */
export interface FleetOptions {
  readonly fleet: Omit<FleetRuntimeOptions, 'self'>
  /** Address at which others reach the peer port of this node, HOST or HOST:PORT; null for its own address. */
  readonly p2pAddress: string | null
  readonly log: Pick<LoggerOptions, 'level' | 'format'>
}

/**
 * The options of the fleet thread; null for a node on its own.
 * @param version of the program
 * @throws ConfigError `Conflict` for options that a member cannot have
 */
export function fleetOptionsFromConfig(config: Config, version: string): FleetOptions | null {
  if (config.fleet.length === 0) return null
  checkMember(config)
  return {
    fleet: {
      connection: connectionFromConfig(
        config,
        `rhizome ${config.fleetName} ${config.fleetMember}`,
        CONNECT_TIMEOUT_MILLISECONDS,
      ),
      fleet: config.fleetName,
      name: config.fleetMember,
      version,
      dataDir: config.dataDir,
      zone: config.quotaTimezone,
      makes: makingOf(config),
      lag: config.fleetLag * SECOND_MILLISECONDS,
      adoptWait: config.fleetAdoptWait,
    },
    p2pAddress: config.fleetP2pAddress,
    log: { level: config.logLevel, format: config.logFormat },
  }
}

/**
 * How NATS is reached under a configuration.
 * @param name that the servers see
 * @param timeout milliseconds for which one may take to answer when it is connected to
 */
export function connectionFromConfig(config: Config, name: string, timeout: number): FleetConnectionOptions {
  return {
    servers: config.fleet,
    user: config.fleetUser,
    password: config.fleetPassword,
    credentials: config.fleetCredentials,
    ca: config.fleetCa,
    cert: config.fleetCert,
    key: config.fleetKey,
    name,
    timeout,
  }
}

function makingOf({ network, mining, blockTime }: Config): FleetRuntimeOptions['makes'] {
  if (!isDevelopmentNetwork({ name: network })) return 'never'
  return mining && blockTime > 0 ? 'timed' : 'asked'
}
