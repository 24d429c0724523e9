import type { NetworkSpec } from '../config/networkSpec.ts'
import { chosenNetwork } from '../config/networks/configured.ts'
import type { Config } from '../config/schema.ts'
import type { ListenAddress } from '../front/options.ts'
import { loadSocketLibrary } from '../front/socketLibrary.ts'
import { type Logger, setLogLevel } from '../observe/logger.ts'
import { workerEntry } from '../util/entry.ts'
import { Certificate } from './certificate.ts'
import {
  type DevelopmentAccount,
  developmentAccounts,
  fundedAccounts,
  mnemonicAccounts,
} from './dev/developmentAccounts.ts'
import { assertSafeExposure } from './exposure.ts'
import { openMembership } from './fleet/openMembership.ts'
import { ReplaceableNode } from './fork/replaceableNode.ts'
import { type ResolvedFork, resolveFork } from './fork/resolveFork.ts'
import type { NodeAdmission } from './openAdmission.ts'
import { Opened, Part } from './opened.ts'
import { drainLimitsFromConfig, lanesFromConfig, tlsFilesFromConfig } from './options/serviceOptions.ts'
import { openAdmission } from './parts/admissionPart.ts'
import { openChain } from './parts/chainPart.ts'
import { openFleet } from './parts/fleetPart.ts'
import { openFork, openForkReads } from './parts/forkPart.ts'
import { openMetrics } from './parts/metricsPart.ts'
import type { ChainPart, Handover, NodeScope, ReachableParts } from './parts/nodeScope.ts'
import { openPeers } from './parts/peersPart.ts'
import { openNodeService, type ServicePart } from './parts/servicePart.ts'
import { accountOf, openStores, threadOptions } from './parts/storesPart.ts'
import { openWallet } from './parts/walletPart.ts'
import type { PeerReport } from './peers/messages.ts'
import { type ConfigChange, compareConfigs, mergeLive } from './reconfigure.ts'
import type { Service } from './service.ts'
import { openReports, type ReportTerminal } from './terminal/openReports.ts'

/** The options of a node. */
export interface NodeOptions {
  readonly config: Config
  /** Version of the program. */
  readonly version: string
  readonly logger: Logger
  /** Terminal for reports of executions to developers; entries of the log where it is absent. */
  readonly terminal?: ReportTerminal
  /** Called once a second with how peers and synchronisation are, on a node that has peers. */
  readonly onPeers?: (report: PeerReport) => void
  /** Module that the peer thread begins with, in place of the product's. */
  readonly peerThread?: URL
  /** The same of the fleet thread. */
  readonly fleetThread?: URL
}

/** A running node. */
export interface RunningNode {
  readonly spec: NetworkSpec
  /** The fork that the chain is; null where it is none. */
  readonly fork: ResolvedFork | null
  readonly host: string
  readonly port: number
  /** Height of the head when it started. */
  readonly head: number
  /** Transactions of the last run that wait again. */
  readonly restored: number
  /** Funded accounts of a development network: those of the mnemonic, or of genesis. */
  readonly accounts: readonly DevelopmentAccount[]
  /** Balance of an account at the head, wei. */
  balanceOf(address: Buffer): bigint
  /**
   * Sets the balance of an account on a development chain, wei.
   * @throws RpcError on another one
   */
  setBalance(address: Buffer, balance: bigint): Promise<void>
  /** Address of monitoring, where it has a port of its own. */
  readonly monitoring: ListenAddress | null
  /**
   * Takes over what a running node can take over of a configuration, and reads API keys and certificate again.
   * @throws TlsError, and nothing changes
   */
  reconfigure(next: Config): ConfigChange
  /**
   * Takes no further connections, answers what was asked within the configured limits, makes everything durable and
   * closes the stores.
   */
  stop(): Promise<void>
  /** Rejects when the node cannot go on. */
  readonly failed: Promise<never>
}

/**
 * Opens the data directory, starts the threads and listens. Its parts are closed in the reverse order.
 * @throws NodeError when the configuration or the data directory cannot be used, ListenError when the port is taken,
 * SocketLibraryError on a system that has no socket library
 */
export function createNode(options: NodeOptions): Promise<RunningNode> {
  return ReplaceableNode.open(options, openNode)
}

/** A node as one that another one can follow. */
export type FollowedNode = RunningNode & {
  /** Takes no further connections; those that are open end with their answers. */
  stopAccepting(): void
  /** Has another one answer what comes over connections that are open. */
  handOver(next: FollowedNode): void
  readonly service: Service
}

async function openNode(options: NodeOptions, handover: Handover): Promise<FollowedNode> {
  const { version, logger } = options
  const { config, fork } = await resolveFork(options.config, logger.child({ part: 'node' }))
  assertSafeExposure(config)
  const log = logger.child({ part: 'node' })
  const membership = await openMembership(config, version, logger)
  const sockets = loadSocketLibrary()
  log.debug({ library: sockets.source }, 'sockets are those of this library')
  const open = async (parts: Opened) => {
    const reach: ReachableParts = {
      chain: new Part(),
      mining: new Part(),
      stores: new Part(),
      service: new Part(),
    }
    const metrics = await openMetrics(parts, reach, { ...options, config })
    // Loaded where it is wanted: most nodes have no use for its library.
    const tracing = config.tracing ? (await import('../observe/tracing.ts')).createTracing(version) : null
    const live = { now: config }
    const developer = await parts.open({
      open: () => openReports(config, options.terminal ?? null, logger),
      close: (opened) => opened.close(),
    })
    const scope = {
      ...{ parts, reach, config, live, fork, version, logger, log },
      ...{ tracing, metrics, membership, developer, handover },
    }
    return await openParts(scope, sockets, options)
  }
  return await Opened.build(open, (error) => log.error({ err: error }, 'a part could not be closed'))
}

async function openParts(
  scope: NodeScope,
  sockets: ReturnType<typeof loadSocketLibrary>,
  {
    onPeers,
    peerThread = workerEntry('./peers/peerThread.ts', import.meta.url),
    fleetThread = workerEntry('./fleet/fleetThread.ts', import.meta.url),
  }: NodeOptions,
): Promise<FollowedNode> {
  const { config, log, membership, metrics, parts, reach } = scope
  const funded = await mnemonicAccounts(config)
  await openFork(scope)
  const chain = await openChain(scope, fundedAccounts(funded, config.balance))
  const { handle } = chain
  const access = await openAdmission(scope)
  const wallet = await openWallet(scope, funded)
  const peers = await openPeers(scope, chain, { entry: peerThread, onReport: onPeers })
  const options = threadOptions(scope, chain)
  const front = await openStores(scope, options, chain, wallet, peers)
  metrics.watchMembership(membership)
  const tlsFiles = tlsFilesFromConfig(config)
  const certificate = tlsFiles && (await Certificate.open(parts, tlsFiles, reach.service, log))
  const opened = await openNodeService(scope, { sockets, chain, access, front, options, peers })
  const { service, readiness } = opened
  await openFleet(scope, {
    entry: fleetThread,
    service,
    peers,
    connectChain: () => handle.connectFleet(),
    reasons: () => readiness.lasting(),
  })
  await openForkReads(scope, chain)
  await openForRequests(scope, chain, access, opened)
  const spec = chosenNetwork(chain.options)
  return {
    spec,
    fork: scope.fork,
    host: service.host,
    port: service.port,
    monitoring: service.monitoring,
    head: handle.head,
    restored: handle.restored,
    accounts: funded.length > 0 ? funded : developmentAccounts(spec),
    balanceOf: (address) => accountOf(front, address)?.balance ?? 0n,
    setBalance: (address, balance) => handle.service.editAccount({ address, balance }),
    reconfigure: (next) => reconfigure(scope, next, access, opened, certificate),
    stop: () => parts.close(),
    stopAccepting: () => service.stopAccepting(),
    handOver: (next) => service.handOver(next.service),
    service,
    failed: handle.failed,
  }
}

/** Opened last and so closed first: what was asked is answered while everything is there. */
async function openForRequests(
  { live, membership, parts }: NodeScope,
  { handle }: ChainPart,
  access: NodeAdmission,
  { service, readiness }: ServicePart,
): Promise<void> {
  await parts.open({
    open: () => handle.start(),
    close: async () => {
      readiness.drain()
      await service.drain(drainLimitsFromConfig(live.now), async () => {
        await membership.drain()
        handle.endRequests()
      })
      // Others get the use that was counted last.
      await access.settle()
    },
  })
}

/** @throws TlsError, and nothing changes */
function reconfigure(
  { live, logger }: NodeScope,
  next: Config,
  access: NodeAdmission,
  { service, watch }: ServicePart,
  certificate: Certificate | null,
): ConfigChange {
  const change = compareConfigs(live.now, next)
  const merged = mergeLive(live.now, next)
  const tls = tlsFilesFromConfig(merged)
  if (tls !== null) certificate?.use(tls)
  live.now = merged
  setLogLevel(logger, merged.logLevel)
  watch.setThreshold(merged.slowRequestTime)
  service.setLanes(lanesFromConfig(merged))
  access.reconfigure(merged)
  return change
}
