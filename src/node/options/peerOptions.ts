import { type Checkpoint, parseCheckpoint } from '../../config/checkpoints.ts'
import { type NetworkChoice, networkChoice } from '../../config/networks/configured.ts'
import type { Config } from '../../config/schema.ts'
import type { StoreOptions } from '../../native/types.ts'
import type { LoggerOptions } from '../../observe/logger.ts'
import { type EnodeAddress, parseEnode } from '../../p2p/identity/enode.ts'
import { stateStoreOptionsFromConfig } from './storeOptions.ts'

const MEBIBYTE = 1024 * 1024

/** The options with which the peer thread is started: plain data, so that it can cross to another thread. */
export interface PeerOptions extends NetworkChoice {
  readonly dataDir: string
  readonly storeOptions: StoreOptions
  readonly log: Pick<LoggerOptions, 'level' | 'format'>
  /** The name that this node gives itself. */
  readonly client: string
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** True when connections of others are taken. */
  readonly listens: boolean
  /** IP address under which others find this node; null where none is known. */
  readonly address: string | null
  readonly discovery: boolean
  readonly statics: readonly EnodeAddress[]
  /** Node ids, addresses and subnets. */
  readonly trusted: readonly string[]
  readonly maxPeers: number
  /** Bytes for all peers together. */
  readonly memoryBytes: number
  readonly expectedPeers: number
  readonly checkpoints: readonly Checkpoint[]
  readonly snapshotServer: boolean
  /** Mode in which a chain of genesis alone begins. */
  readonly syncMode: 'full' | 'snapshot'
  /** True when blocks below a snapshot are fetched. */
  readonly backfill: boolean
}

/**
 * The options of the peer thread under a configuration; null for a node without peers.
 * @param client names program and version
 * @throws EnodeError, ConfigError `InvalidValue`
 */
export function peerOptionsFromConfig(config: Config, client: string): PeerOptions | null {
  if (!config.peers && config.peer.length === 0) return null
  return {
    ...networkChoice(config),
    dataDir: config.dataDir,
    storeOptions: stateStoreOptionsFromConfig(config),
    log: { level: config.logLevel, format: config.logFormat },
    client,
    host: config.p2pHost,
    port: config.p2pPort,
    listens: config.p2pListen,
    address: config.p2pAddress,
    discovery: config.discovery,
    statics: config.peer.map(parseEnode),
    trusted: config.trustedPeers,
    maxPeers: config.maxPeers,
    memoryBytes: config.peerMemory * MEBIBYTE,
    expectedPeers: config.peer.length > 0 ? 1 : config.expectedPeers,
    checkpoints: config.checkpoints.map(parseCheckpoint),
    snapshotServer: config.snapshotServer,
    syncMode: config.syncMode,
    backfill: config.backfill,
  }
}
