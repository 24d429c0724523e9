import { checkMember } from '../../config/conflicts.ts'
import { ConfigError } from '../../config/errors.ts'
import { type NetworkChoice, networkChoice } from '../../config/networks/configured.ts'
import { type Config, flagOf } from '../../config/schema.ts'
import type { FleetConnectionOptions } from '../../fleet/nats/natsConnection.ts'
import type { HeadTrust } from '../../fleet/quorum/blsSignatures.ts'
import type { FleetPoolOptions } from '../../fleet/runtime/samePool.ts'
import type { MemberKeyFiles } from '../../fleet/snapshots/memberKey.ts'
import { SnapshotError } from '../../snapshot/errors.ts'
import { trustedKeys } from '../../snapshot/snapshotTrust.ts'

/** What the fleet thread is made of under a configuration. Survives structured cloning. */
export interface FleetOptions {
  readonly connection: FleetConnectionOptions
  /** `user:password` of the system account of NATS; null for none. */
  readonly system: string | null
  /** Name of the fleet. */
  readonly name: string
  /** Name of this member. */
  readonly member: string
  readonly dataDir: string
  /** The chain's rules. */
  readonly chain: NetworkChoice
  /** Options under which the pools of all members have to be. */
  readonly pool: FleetPoolOptions
  /** IANA name of the place whose days quotas are counted in. */
  readonly timezone: string
  /** Version of the program. */
  readonly version: string
  /** Milliseconds. */
  readonly lease: number
  /** Milliseconds. */
  readonly hold: number
  /** Milliseconds. */
  readonly round: number
  /** Seconds. */
  readonly lag: number
  /** Blocks from one snapshot to the next; 0 for never. */
  readonly snapshotBlocks: number
  /** Blocks between the head and the block of a snapshot. */
  readonly snapshotDepth: number
  /** Files of the key with which this member signs snapshots and heads; null for none. */
  readonly signerKey: MemberKeyFiles | null
  /** Signatures that a head needs. */
  readonly heads: HeadTrust
  readonly log: Pick<Config, 'logLevel' | 'logFormat'>
}

/** What of a configuration concerns the front thread of a member. */
export interface FleetFrontOptions {
  /** Milliseconds for which requests wait for a change of the head. */
  readonly hold: number
  /** Whether a member that is cut off answers reads relative to its head. */
  readonly servesIsolated: boolean
}

/**
 * The options of the fleet thread; null for a node on its own.
 * @param version of the program
 * @throws ConfigError `Conflict` for a member that makes a block for each transaction, `InvalidValue` for a trusted key
 * that is none
 */
export function fleetOptionsFromConfig(config: Config, version: string): FleetOptions | null {
  if (config.fleet.length === 0) return null
  checkMember(config)
  return {
    connection: {
      servers: config.fleet,
      user: config.fleetUser,
      password: config.fleetPassword,
      credentials: config.fleetCredentials,
      ca: config.fleetCa,
      cert: config.fleetCert,
      key: config.fleetKey,
      name: `rhizome ${config.fleetName} ${config.fleetMember}`,
      silence: config.fleetLease,
    },
    system: config.fleetSystem,
    name: config.fleetName,
    member: config.fleetMember,
    dataDir: config.dataDir,
    chain: networkChoice(config),
    pool: {
      'account-slots': config.accountSlots,
      'gas-price-bump': config.gasPriceBump,
      'outdated-blocks': config.outdatedBlocks,
      'outdated-time': config.outdatedTime,
      'account-quota': config.accountQuota,
    },
    timezone: config.quotaTimezone,
    version,
    lease: config.fleetLease,
    hold: config.fleetHold,
    round: config.fleetRound,
    lag: config.fleetLag,
    snapshotBlocks: config.fleetSnapshotBlocks,
    snapshotDepth: config.finalizedDistance,
    signerKey: signerKeyFiles(config),
    heads: headTrust(config),
    log: { logLevel: config.logLevel, logFormat: config.logFormat },
  }
}

function signerKeyFiles({
  fleetSignerKey: key,
  fleetSignerPassphrase: passphrase,
}: Config): MemberKeyFiles | null {
  return key === null || passphrase === null ? null : { key, passphrase }
}

/** Without a quorum keys for snapshots need not be those of members. */
function headTrust({ fleetQuorum: quorum, fleetKeys, snapshotKeys }: Config): HeadTrust {
  const option = fleetKeys.length > 0 || quorum === 0 ? 'fleetKeys' : 'snapshotKeys'
  try {
    const keys = trustedKeys(option === 'fleetKeys' ? fleetKeys : snapshotKeys)
    return { quorum, keys: keys.map(({ publicKey }) => publicKey) }
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error
    throw new ConfigError('InvalidValue', `${flagOf(option)}: ${error.message}`, { cause: error })
  }
}

/** The options of the front thread of a member. */
export function fleetFrontOptionsFromConfig(
  config: Pick<Config, 'fleetHold' | 'fleetIsolated'>,
): FleetFrontOptions {
  return { hold: config.fleetHold, servesIsolated: config.fleetIsolated === 'serve' }
}
