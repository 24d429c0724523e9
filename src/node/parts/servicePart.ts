import type { NodeContext } from '../../rpc/context.ts'
import { workerEntry } from '../../util/entry.ts'
import type { NodeAdmission } from '../openAdmission.ts'
import {
  eventLimitsFromConfig,
  frontOptionsFromConfig,
  gatewayLimitsFromConfig,
  lanesFromConfig,
} from '../options/serviceOptions.ts'
import type { PeerHandle } from '../peers/peerHandle.ts'
import { peerReasons, peerStatus } from '../peers/peerStatus.ts'
import { createReadiness, type Readiness } from '../readiness.ts'
import { reclaimedWarning } from '../reclaimedWarning.ts'
import { openService, type Service, type ServiceOptions } from '../service.ts'
import { SlowLog } from '../slowLog.ts'
import type { ThreadContext, ThreadContextOptions } from '../threadContext.ts'
import type { WorkerContextOptions } from '../workerContext.ts'
import type { ChainPart, NodeScope } from './nodeScope.ts'

/** The parts that requests are answered with. */
export interface ServicePartOptions {
  readonly sockets: ServiceOptions['sockets']
  readonly chain: ChainPart
  readonly access: NodeAdmission
  readonly front: ThreadContext
  readonly options: ThreadContextOptions
  /** null for a node without peers. */
  readonly peers: PeerHandle | null
}

/** The JSON-RPC service of a node. */
export interface ServicePart {
  readonly service: Service
  readonly readiness: Readiness
  /** Logs slow requests. */
  readonly watch: SlowLog
}

/**
 * Starts the workers and listens.
 * @throws ListenError, TlsError
 */
export async function openNodeService(scope: NodeScope, options: ServicePartOptions): Promise<ServicePart> {
  const { config, logger, parts, reach } = scope
  const readiness = readinessOf(scope, options)
  const watch = new SlowLog(logger.child({ part: 'rpc' }), config.slowRequestTime)
  const service = await parts.open(
    {
      open: () => openService(serviceOptions(scope, options, readiness, watch)),
      close: (service) => service.stop(),
    },
    reach.service,
  )
  return { service, readiness, watch }
}

function readinessOf(
  { live, metrics, reach }: NodeScope,
  { access, chain, peers }: ServicePartOptions,
): Readiness {
  return createReadiness({
    headAge: () => metrics.chain.headAge(),
    maxHeadAge: () => live.now.readyHeadAge,
    storeFault: () => metrics.chain.storeFault,
    accessFault: () => access.fault(),
    peerReasons: () => (peers === null ? [] : peerReasons(peers.report, peers.status)),
    writeProbe: () => chain.handle.service.probe(),
    poolPing: async () => reach.service.now?.ping(),
  })
}

function serviceOptions(
  scope: NodeScope,
  parts: ServicePartOptions,
  readiness: Readiness,
  watch: SlowLog,
): ServiceOptions {
  const { config, developer, handover, logger, membership, metrics, tracing } = scope
  const { access, chain, front } = parts
  const log = logger.child({ part: 'rpc' })
  const workerOptions: WorkerContextOptions = {
    ...parts.options,
    log: { level: config.logLevel, format: config.logFormat },
    ...(developer.ofWorkers === null ? {} : { reports: developer.ofWorkers }),
  }
  return {
    sockets: parts.sockets,
    beforeListening: handover.beforeListening,
    front: frontOptionsFromConfig(config),
    limits: gatewayLimitsFromConfig(config),
    events: eventLimitsFromConfig(config),
    filters: (open) => membership.filters(open),
    lanes: lanesFromConfig(config),
    workers: config.workers,
    // Short calls at the newest block are executed by the front thread: many a test run needs no worker for the others.
    ...(config.profile === 'dev' ? { permanentWorkers: 0 } : {}),
    admission: access.admission,
    usageReport: (caller) => access.reports.report(caller),
    context: withStatus(scope, parts),
    stateStore: front.stateStore,
    contextModule: workerEntry('../workerContext.ts', import.meta.url),
    contextOptions: workerOptions,
    probes: { ready: () => readiness.reasons(), metrics: () => metrics.text() },
    reportsCalls: developer.reports !== null,
    blockHeaders: config.blockHeaders,
    watch,
    ...(tracing === null ? {} : { tracing }),
    onUnexpected: (method, error) => log.error({ method, err: error }, 'a request failed unexpectedly'),
    onChainPort: (port) => chain.handle.serve(port),
    onLostBatch: (error) => log.error({ err: error }, 'a worker died with its requests'),
    onReclaimedSocket: reclaimedWarning(log),
  }
}

/** The context of the front thread with what only it knows: miners, and how the node is. */
function withStatus(
  { config, developer, handover, membership, reach }: NodeScope,
  { front: { context }, chain: { production }, peers }: ServicePartOptions,
): NodeContext {
  const { reports, describeFailure, projectArtifacts, failedCalls } = developer
  return {
    ...context,
    ...(config.profile === 'dev' ? { replaceChain: handover.replaceChain } : {}),
    ...(reports === null ? {} : { reports }),
    ...(describeFailure === null ? {} : { describeFailure }),
    ...(projectArtifacts === null ? {} : { projectArtifacts }),
    ...(failedCalls === null ? {} : { failedCalls }),
    commands: { ...context.commands, mining: reach.mining.now?.commands ?? null },
    status: () => {
      const fleet = membership.status()
      return {
        ...context.status(),
        ...production,
        ...(peers === null ? {} : peerStatus(peers.report, peers.status)),
        ...(fleet === undefined ? {} : { fleet }),
      }
    },
  }
}
