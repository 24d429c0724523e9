import type { MessagePort } from 'node:worker_threads'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { networkByName } from '../config/networks/byName.ts'
import type { Config } from '../config/schema.ts'
import { openService, type Service } from '../front/service.ts'
import type { Logger } from '../observe/logger.ts'
import type { NodeCommands, NodeContext } from '../rpc/context.ts'
import { workerEntry } from '../util/entry.ts'
import type { Wallet } from '../wallet/interface.ts'
import { openConfiguredWallet } from '../wallet/openWallet.ts'
import { type NodeAdmission, openNodeAdmission } from './admission.ts'
import { type ChainHandle, startChainThread } from './chainHandle.ts'
import { chainOptionsFromConfig } from './chainOptions.ts'
import { assertSafeExposure } from './exposure.ts'
import { createNodeMetrics, type NodeMetrics } from './metrics.ts'
import { createFrontMining, type FrontMining } from './miningCommands.ts'
import { nodeInfoFromConfig } from './nodeInfo.ts'
import {
  eventLimitsFromConfig,
  frontOptionsFromConfig,
  gatewayLimitsFromConfig,
  lanesFromConfig,
} from './serviceOptions.ts'
import { textBytesFromConfig } from './storeOptions.ts'
import { openThreadContext, type ThreadContext, type ThreadContextOptions } from './threadContext.ts'
import type { WorkerContextOptions } from './workerContext.ts'

/** What a node is made of. */
export interface NodeOptions {
  readonly config: Config
  /** Version of the program. */
  readonly version: string
  readonly logger: Logger
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
  /** Balance of an account at the head, wei. */
  balanceOf(address: Buffer): bigint
  /** Stops accepting requests, finishes what is written, closes the stores. */
  stop(): Promise<void>
  /** Rejects when the node cannot go on. */
  readonly failed: Promise<never>
}

/**
 * Opens the data directory, starts the threads and listens.
 * @throws NodeError when the configuration or the data directory cannot be used, ListenError when the port is taken
 */
export async function createNode({ config, version, logger }: NodeOptions): Promise<RunningNode> {
  assertSafeExposure(config)
  const log = logger.child({ part: 'node' })
  let service: Service | null = null
  let mining: FrontMining | null = null
  let isProducing = config.mining
  const metrics = createNodeMetrics(() => mining?.commands.reportedHashrate() ?? 0n)
  const chain = await startChainThread(chainOptionsFromConfig(config, `Rhizome-${version}`), {
    onHead: (notice, pool) => {
      metrics.headChanged(notice, pool)
      mining?.headChanged(notice)
      service?.headChanged(notice)
    },
    onPending: (notices) => service?.pendingAdded(notices),
    onMining: (on) => {
      isProducing = on
      service?.onChange()
    },
    onStore: (fault) => {
      metrics.storeChanged(fault)
      if (fault === null) log.info('the store takes writes again')
      else log.error({ reason: fault }, 'nothing is written until there is room; reads go on')
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
  metrics.started(chain.head)
  const closers: (() => Promise<void>)[] = [() => chain.close()]
  const close = async () => {
    for (const closer of closers.toReversed()) await closer()
  }
  try {
    // After the chain: whose data directory it is is settled then. Closed last, with the usage of the last requests.
    const access = openNodeAdmission(config, log)
    closers.unshift(() => access.close())
    metrics.watchAccess((most) => access.admission.figures(most))
    const wallet = await openConfiguredWallet(config, (path, reason) =>
      log.warn({ path, reason }, 'a key file was left out'),
    )
    if (wallet !== null) closers.push(async () => wallet.close())
    const options = contextOptions(config, version, chain)
    const front = openFrontContext(options, chain, wallet)
    closers.push(() => front.close())
    if (config.mergedMining) mining = createFrontMining(front.mining, config.workRefreshTime * 1000, Date.now)
    const isProducingNow = () => isProducing
    const parts = { config, logger, options, chain, front, mining, metrics, access, isProducingNow }
    const running = await listenForRequests(parts, () => service)
    service = running
    closers.push(() => running.stop())
    chain.start()
    return {
      spec: networkByName(config.network),
      host: running.host,
      port: running.port,
      head: chain.head,
      restored: chain.restored,
      balanceOf: (address) => balanceOf(front.context, address),
      stop: close,
      failed: chain.failed,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface ServiceParts {
  readonly access: NodeAdmission
  readonly config: Config
  readonly logger: Logger
  readonly options: ThreadContextOptions
  readonly chain: ChainHandle
  readonly front: ThreadContext
  /** null where no miners are served. */
  readonly mining: FrontMining | null
  readonly metrics: NodeMetrics
  /** Whether blocks are made without being asked for. */
  readonly isProducingNow: () => boolean
}

function listenForRequests(
  { config, logger, options, chain, front, mining, metrics, access, isProducingNow }: ServiceParts,
  current: () => Service | null,
): Promise<Service> {
  const log = logger.child({ part: 'rpc' })
  const workerOptions: WorkerContextOptions = {
    ...options,
    log: { level: config.logLevel, format: config.logFormat },
  }
  return openService({
    front: frontOptionsFromConfig(config),
    limits: gatewayLimitsFromConfig(config),
    events: eventLimitsFromConfig(config),
    lanes: lanesFromConfig(config),
    workers: config.workers,
    admission: access.admission,
    usageReport: (caller) => access.reports.report(caller),
    context: withFreshAnswers(withMining(front.context, mining, isProducingNow), mining, current),
    stateStore: front.stateStore,
    contextModule: workerEntry('./workerContext.ts', import.meta.url),
    contextOptions: workerOptions,
    probes: { health: () => metrics.health(), metrics: () => metrics.text() },
    onUnexpected: (method, error) => log.error({ method, err: error }, 'a request failed unexpectedly'),
    onChainPort: (port: MessagePort) => chain.serve(port),
    onLostBatch: (error) => log.error({ err: error }, 'a worker died with its requests'),
  })
}

function contextOptions(config: Config, version: string, chain: ChainHandle): ThreadContextOptions {
  const { network, dataDir, storeOptions } = chainOptionsFromConfig(config, version)
  return {
    network,
    dataDir,
    storeOptions,
    textBytes: textBytesFromConfig(config),
    node: nodeInfoFromConfig(config, version),
    status: {
      // There are no peers yet.
      listening: false,
      peers: [],
      syncing: null,
      coinbase: chain.coinbase,
      mining: config.mining,
    },
  }
}

function openFrontContext(
  options: ThreadContextOptions,
  chain: ChainHandle,
  wallet: Wallet | null,
): ThreadContext {
  // Nothing stops what runs in this thread: it is short.
  const interrupt = { flags: new Int32Array(1), slot: 0 }
  return openThreadContext(options, interrupt, chain.connect(), wallet)
}

function withMining(
  context: NodeContext,
  mining: FrontMining | null,
  isProducing: () => boolean,
): NodeContext {
  return {
    ...context,
    commands: { ...context.commands, mining: mining?.commands ?? null },
    status: () => ({ ...context.status(), mining: isProducing() }),
  }
}

/**
 * Commands whose answer is not overtaken by the news of what they did: who has the answer of a send or of a
 * mined block finds its block in the next answer of this thread, too.
 */
function withFreshAnswers(
  context: NodeContext,
  mining: FrontMining | null,
  service: () => Service | null,
): NodeContext {
  const fresh = async <T>(command: Promise<T>): Promise<T> => {
    const answer = await command
    service()?.onChange()
    return answer
  }
  return {
    ...context,
    commands: freshCommands(context.commands, fresh, async (command) => {
      const answer = await fresh(command)
      mining?.headMayHaveChanged()
      return answer
    }),
  }
}

type Fresh = <T>(command: Promise<T>) => Promise<T>

/** @param freshHead for commands that users of a development chain change the head with */
function freshCommands(commands: NodeCommands, fresh: Fresh, freshHead: Fresh): NodeCommands {
  const { dev, mining } = commands
  return {
    sendTransaction: (encoded) => fresh(commands.sendTransaction(encoded)),
    mine: (request) => freshHead(commands.mine(request)),
    dev: {
      snapshot: () => dev.snapshot(),
      revert: (id) => freshHead(dev.revert(id)),
      reset: () => freshHead(dev.reset()),
      increaseTime: (seconds) => dev.increaseTime(seconds),
      setNextBlockTimestamp: (timestamp) => dev.setNextBlockTimestamp(timestamp),
      mode: () => dev.mode(),
      setAutomine: (on) => freshHead(dev.setAutomine(on)),
      setInterval: (seconds) => dev.setInterval(seconds),
      setMining: (on) => dev.setMining(on),
      editAccount: (edit) => freshHead(dev.editAccount(edit)),
      importBlock: (encoded) => freshHead(dev.importBlock(encoded)),
      sendImpersonated: (encoded) => fresh(dev.sendImpersonated(encoded)),
    },
    mining: mining && {
      ...mining,
      submit: (solution) => fresh(mining.submit(solution)),
      submitTemplate: (solution) => fresh(mining.submitTemplate(solution)),
    },
  }
}

function balanceOf({ refresh, release, state, chain }: NodeContext, address: Buffer): bigint {
  refresh()
  try {
    return state.at(chain.head()).account(address)?.balance ?? 0n
  } finally {
    release()
  }
}
