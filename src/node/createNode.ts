import type { MessagePort } from 'node:worker_threads'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { chosenNetwork } from '../config/networks/configured.ts'
import type { Config } from '../config/schema.ts'
import { storeFolders } from '../execution/chainFolders.ts'
import type { HeadNotice } from '../filters/events.ts'
import type { ListenAddress } from '../front/options.ts'
import { openService, type Service } from '../front/service.ts'
import { loadSocketLibrary, type SocketLibrary } from '../front/socketLibrary.ts'
import { type Logger, lostEntries, setLogLevel } from '../observe/logger.ts'
import { createTracing, type Tracing } from '../observe/tracing.ts'
import { EnodeError } from '../p2p/identity/enode.ts'
import type { NodeContext, NodeStatus } from '../rpc/context.ts'
import { findExposed, storePaths } from '../storage/fileModes.ts'
import { workerEntry } from '../util/entry.ts'
import type { Wallet } from '../wallet/interface.ts'
import { openConfiguredWallet } from '../wallet/openWallet.ts'
import { Certificate } from './certificate.ts'
import { type BlockChoices, type ChainHandle, startChainThread } from './chainThread/chainHandle.ts'
import type { HeadStats } from './chainThread/chainListener.ts'
import {
  type DevelopmentAccount,
  developmentAccounts,
  fundAccounts,
  mnemonicAccounts,
} from './dev/developmentAccounts.ts'
import { diskNeed, shortageOf } from './diskNeed.ts'
import { NodeError } from './errors.ts'
import { assertSafeExposure } from './exposure.ts'
import { type Membership, openMembership } from './fleet/membership.ts'
import { createFrontMining, type FrontMining } from './frontMining.ts'
import { createNodeMetrics, type NodeMetrics } from './metrics/nodeMetrics.ts'
import type { OpenStores } from './metrics/storeMetrics.ts'
import { nodeInfoFromConfig } from './nodeInfo.ts'
import { type NodeAdmission, openNodeAdmission } from './openAdmission.ts'
import { type ChainOptions, chainOptionsFromConfig } from './options/chainOptions.ts'
import { type PeerOptions, peerOptionsFromConfig } from './options/peerOptions.ts'
import {
  drainLimitsFromConfig,
  eventLimitsFromConfig,
  frontOptionsFromConfig,
  gatewayLimitsFromConfig,
  lanesFromConfig,
  tlsFilesFromConfig,
} from './options/serviceOptions.ts'
import { storeLimitFromConfig, textBytesFromConfig } from './options/storeOptions.ts'
import type { PeerReport } from './peers/messages.ts'
import { type PeerHandle, startPeerThread } from './peers/peerHandle.ts'
import { peerReasons, peerStatus, syncProgress } from './peers/peerStatus.ts'
import { createReadiness, type Readiness } from './readiness.ts'
import { reclaimedWarning } from './reclaimedWarning.ts'
import { type ConfigChange, compareConfigs, mergeLive } from './reconfigure.ts'
import { SlowLog } from './slowLog.ts'
import { openThreadContext, type ThreadContext, type ThreadContextOptions } from './threadContext.ts'
import type { WorkerContextOptions } from './workerContext.ts'

/** The options of a node. */
export interface NodeOptions {
  readonly config: Config
  /** Version of the program. */
  readonly version: string
  readonly logger: Logger
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
  /** Where monitoring has a port of its own. */
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
 * Opens the data directory, starts the threads and listens.
 * @throws NodeError when the configuration or the data directory cannot be used, ListenError when the port is taken,
 * SocketLibraryError on a system that has no socket library
 */
export async function createNode({
  config,
  version,
  logger,
  onPeers,
  peerThread = workerEntry('./peers/peerThread.ts', import.meta.url),
  fleetThread = workerEntry('./fleet/fleetThread.ts', import.meta.url),
}: NodeOptions): Promise<RunningNode> {
  assertSafeExposure(config)
  const log = logger.child({ part: 'node' })
  const membership = openMembership(config, version, logger)
  const sockets = loadSocketLibrary()
  log.debug({ library: sockets.source }, 'sockets are those of this library')
  let service: Service | null = null
  let mining: FrontMining | null = null
  let isProducing = config.mining
  let choices: BlockChoices = { coinbase: null, priceTarget: null }
  let isSyncing = false
  let current = config
  let chainThread: ChainHandle | null = null
  let stores: OpenStores | null = null
  const metrics = createNodeMetrics({
    version,
    lostLogEntries: () => lostEntries(logger),
    hashrate: () => mining?.commands.reportedHashrate() ?? 0n,
    service: () => service,
    stores: () => stores,
    chainBusySeconds: () => chainThread?.busySeconds() ?? 0,
  })
  const tracing = config.tracing ? createTracing(version) : null
  const chainOptions = chainOptionsFromConfig(config, `Rhizome-${version}`)
  const chain = await startChainThread(chainOptions, {
    onHead: (notice, pool, stats) => {
      metrics.chain.headChanged(notice, pool, stats)
      if (stats.seconds > 0) tracing?.imported(stats.seconds, importMetadata(notice, stats))
      mining?.headChanged(notice)
      service?.headChanged(notice)
    },
    onExecuted: () => service?.blockExecuted(),
    onPending: (transactions) => service?.pendingAdded(transactions),
    onMining: (on) => {
      isProducing = on
      service?.onChange()
    },
    onChange: (changed) => {
      choices = changed
      mining?.settingsChanged()
      service?.onChange()
    },
    onStore: (fault) => {
      metrics.chain.storeChanged(fault)
      if (fault === null) log.info('the store takes writes again')
      else log.error({ reason: fault }, 'nothing is written until that is mended; reads go on')
    },
    onWork: (work) => {
      metrics.mining.workBuilt()
      mining?.workBuilt(work)
      service?.workBuilt(work)
    },
    onSubmission: (result, age) => {
      metrics.mining.solutionSubmitted(result, age)
      log.info({ result, age }, 'a miner sent a solution')
    },
    onFault: (text) => log.error({ error: text }, 'work in the chain thread failed'),
  })
  chainThread = chain
  choices = chain.choices
  const exposed = findExposed([config.dataDir, ...storeFolders(config.dataDir).flatMap(storePaths)])
  if (exposed.length > 0) {
    log.warn(
      { paths: exposed },
      'others have rights on the data directory, which is of another user: take them away',
    )
  }
  const need = config.peers ? diskNeed(config.network, config.dataDir) : null
  const shortage = need && shortageOf(need)
  if (shortage !== null)
    log.warn(
      shortage,
      'an archive of this network is computed to need more than the disk has: nothing is written at its end',
    )
  metrics.chain.started(chain.head, chain.headTime, chain.pool)
  const closers: (() => Promise<void>)[] = [async () => metrics.close(), () => chain.close()]
  const close = async () => {
    for (const closer of closers.toReversed()) await closer()
  }
  try {
    // After the chain: whose data directory it is is settled then. Closed last, with the usage of the last requests.
    const access = openNodeAdmission(config, log, membership.access)
    closers.unshift(() => access.close())
    metrics.watchAccess((most) => access.admission.stats(most))
    const funded = await mnemonicAccounts(config)
    const wallet = await openConfiguredWallet(
      config,
      (path, reason) => log.warn({ path, reason }, 'a key file was left out'),
      funded.map(({ privateKey }) => privateKey),
    )
    if (wallet !== null) closers.push(async () => wallet.close())
    const options = contextOptions(config, version, chainOptions, chain)
    const peerSettings = peerOptions(config, `Rhizome-${version}`)
    const peers =
      peerSettings &&
      (await startPeerThread({
        entry: peerThread,
        options: peerSettings,
        log,
        connect: () => chain.connectPeers(),
        onReport: (report) => {
          const progress = syncProgress(report)
          if (isSyncing !== (progress !== null)) service?.syncingChanged(progress)
          isSyncing = progress !== null
          onPeers?.(report)
        },
      }))
    if (peers !== null) {
      closers.push(() => peers.close())
      metrics.watchPeers({
        report: () => peers.report,
        status: () => peers.status,
        busySeconds: () => peers.busySeconds(),
      })
      log.info({ enode: peers.enode }, 'peers can connect')
    }
    const front = openFrontContext(options, chain, wallet, peers)
    closers.push(async () => {
      stores = null
      await front.close()
    })
    // When the chain thread has written its last.
    closers.unshift(async () => front.stateStore.close())
    await fundAccounts(
      funded,
      config.balance,
      (address) => accountOf(front.context, address),
      (edit) => chain.service.editAccount(edit),
    )
    stores = {
      dataDir: config.dataDir,
      chain: front.environment,
      state: front.stateStore,
      encodedObjects: front.context.encodedObjects,
      limitBytes: storeLimitFromConfig(config),
    }
    closers.push(() => membership.close())
    metrics.watchMembership(membership)
    const readiness = createReadiness({
      headAge: () => metrics.chain.headAge(),
      maxHeadAge: () => current.readyHeadAge,
      storeFault: () => metrics.chain.storeFault,
      accessFault: () => access.fault(),
      peerReasons: () => (peers === null ? [] : peerReasons(peers.report, peers.status)),
      writeProbe: () => chain.service.probe(),
      poolPing: async () => service?.ping(),
    })
    const watch = new SlowLog(logger.child({ part: 'rpc' }), config.slowRequestTime)
    if (config.mergedMining)
      mining = createFrontMining(chain.service, config.workRefreshTime * 1000, Date.now)
    const production = () => {
      const { coinbase, priceTarget } = choices
      return { coinbase, priceTarget, mining: isProducing }
    }
    const shared = {
      config,
      logger,
      options,
      chain,
      front,
      mining,
      metrics,
      access,
      production,
      peers,
      membership,
    }
    const parts = { ...shared, sockets, readiness, watch, tracing }
    const tlsFiles = tlsFilesFromConfig(config)
    const certificate = tlsFiles && new Certificate(tlsFiles, () => service, log)
    closers.push(async () => certificate?.close())
    const running = await listenForRequests(parts)
    service = running
    closers.push(async () => {
      readiness.drain()
      await running.drain(drainLimitsFromConfig(current), async () => {
        await membership.drain()
        chain.endRequests()
      })
      await running.stop()
      // Others are told of it.
      await access.settle()
      service = null
    })
    await membership.start({
      entry: fleetThread,
      service: running,
      peers,
      connectChain: () => chain.connectFleet(),
      reasons: () => readiness.lasting(),
    })
    chain.start()
    return {
      spec: chosenNetwork(chainOptions),
      host: running.host,
      port: running.port,
      monitoring: running.monitoring,
      head: chain.head,
      restored: chain.restored,
      accounts: funded.length > 0 ? funded : developmentAccounts(chosenNetwork(chainOptions)),
      balanceOf: (address) => accountOf(front.context, address)?.balance ?? 0n,
      setBalance: (address, balance) => chain.service.editAccount({ address, balance }),
      reconfigure: (next) => {
        const change = compareConfigs(current, next)
        const merged = mergeLive(current, next)
        const tls = tlsFilesFromConfig(merged)
        if (tls !== null) certificate?.use(tls)
        current = merged
        setLogLevel(logger, merged.logLevel)
        watch.setThreshold(merged.slowRequestTime)
        running.setLanes(lanesFromConfig(merged))
        access.reconfigure(merged)
        return change
      },
      stop: close,
      failed: chain.failed,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface ServiceParts {
  readonly sockets: SocketLibrary
  readonly access: NodeAdmission
  readonly config: Config
  readonly logger: Logger
  readonly options: ThreadContextOptions
  readonly chain: ChainHandle
  readonly front: ThreadContext
  /** null where no miners are served. */
  readonly mining: FrontMining | null
  readonly metrics: NodeMetrics
  readonly readiness: Readiness
  readonly watch: SlowLog
  /** null while it is off. */
  readonly tracing: Tracing | null
  /** How blocks are made now. */
  readonly production: () => Pick<NodeStatus, 'coinbase' | 'priceTarget' | 'mining'>
  /** null for a node without peers. */
  readonly peers: PeerHandle | null
  readonly membership: Membership
}

function listenForRequests(parts: ServiceParts): Promise<Service> {
  const { config, logger, options, chain, front, metrics, access } = parts
  const log = logger.child({ part: 'rpc' })
  const workerOptions: WorkerContextOptions = {
    ...options,
    log: { level: config.logLevel, format: config.logFormat },
  }
  return openService({
    sockets: parts.sockets,
    front: frontOptionsFromConfig(config),
    limits: gatewayLimitsFromConfig(config),
    events: eventLimitsFromConfig(config),
    filters: (open) => parts.membership.filters(open),
    lanes: lanesFromConfig(config),
    workers: config.workers,
    admission: access.admission,
    usageReport: (caller) => access.reports.report(caller),
    context: withStatus(parts),
    stateStore: front.stateStore,
    contextModule: workerEntry('./workerContext.ts', import.meta.url),
    contextOptions: workerOptions,
    probes: { ready: () => parts.readiness.reasons(), metrics: () => metrics.text() },
    blockHeaders: config.blockHeaders,
    watch: parts.watch,
    ...(parts.tracing === null ? {} : { tracing: parts.tracing }),
    onUnexpected: (method, error) => log.error({ method, err: error }, 'a request failed unexpectedly'),
    onChainPort: (port: MessagePort) => chain.serve(port),
    onLostBatch: (error) => log.error({ err: error }, 'a worker died with its requests'),
    onReclaimedSocket: reclaimedWarning(log),
  })
}

function importMetadata(
  { enacted }: HeadNotice,
  { gas }: HeadStats,
): { blocks: number; head: number; gas: number } {
  return { blocks: enacted.length, head: enacted.at(-1)?.number ?? 0, gas }
}

function contextOptions(
  config: Config,
  version: string,
  { network, activationHeights, dataDir, storeOptions }: ChainOptions,
  chain: ChainHandle,
): ThreadContextOptions {
  return {
    network,
    activationHeights,
    dataDir,
    storeOptions,
    encodedObjectBytes: textBytesFromConfig(config),
    node: nodeInfoFromConfig(config, version),
    status: {
      // Whoever asks does so where the node listens.
      listening: true,
      peers: [],
      syncing: null,
      coinbase: chain.choices.coinbase,
      mining: config.mining,
    },
  }
}

function openFrontContext(
  options: ThreadContextOptions,
  chain: ChainHandle,
  wallet: Wallet | null,
  peers: PeerHandle | null,
): ThreadContext {
  // Nothing stops what runs in this thread: it is short.
  const interrupt = { flags: new Int32Array(1), slot: 0 }
  const admin = peers === null ? {} : { peers: peers.admin }
  return openThreadContext(options, interrupt, chain.service, { wallet, ...admin })
}

/** @throws NodeError `PEERS` */
function peerOptions(config: Config, client: string): PeerOptions | null {
  try {
    return peerOptionsFromConfig(config, client)
  } catch (error) {
    if (error instanceof EnodeError) throw new NodeError('PEERS', error.message, { cause: error })
    throw error
  }
}

function withStatus({
  front: { context },
  mining,
  production,
  peers,
  membership,
}: ServiceParts): NodeContext {
  return {
    ...context,
    commands: { ...context.commands, mining: mining?.commands ?? null },
    status: () => {
      const fleet = membership.status()
      return {
        ...context.status(),
        ...production(),
        ...(peers === null ? {} : peerStatus(peers.report, peers.status)),
        ...(fleet === undefined ? {} : { fleet }),
      }
    },
  }
}

function accountOf({ refresh, release, state, chain }: NodeContext, address: Buffer) {
  refresh()
  try {
    return state.at(chain.head()).account(address)
  } finally {
    release()
  }
}
