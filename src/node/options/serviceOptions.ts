import { laneLimits } from '../../config/options/lanes.ts'
import type { Config } from '../../config/schema.ts'
import type { EventLimits } from '../../filters/frontEvents.ts'
import type { DrainLimits } from '../../front/drain.ts'
import type { FrontOptions } from '../../front/options.ts'
import type { TlsFiles } from '../../front/tls.ts'
import type { GatewayLimits } from '../../gateway/gateway.ts'
import { createLanes, type LaneLimits, type PoolLane } from '../../gateway/scheduler/lanes.ts'
import { mostConnections } from '../descriptors.ts'

const MEBIBYTE = 1024 * 1024

/** Options of the front under a configuration. */
export function frontOptionsFromConfig(config: Config): FrontOptions {
  return {
    host: config.host,
    port: config.httpPort,
    hosts: config.allowedHosts,
    corsOrigin: config.corsOrigin,
    trustedOrigins: config.trustedOrigins,
    maxConnections: mostConnections(config.maxConnections, config.workers),
    maxBodyBytes: config.maxBodySize,
    maxSocketBacklog: config.maxSocketBacklog,
    socketIdleSeconds: config.socketIdleTimeout,
    page: config.page,
    monitoring: config.metricsPort === 0 ? null : { host: config.metricsHost, port: config.metricsPort },
    tls: tlsFilesFromConfig(config),
    requestIds: config.requestIds,
  }
}

/** The files of the certificate and its key under a configuration; null for no TLS. */
export function tlsFilesFromConfig({ tlsCert, tlsKey }: Pick<Config, 'tlsCert' | 'tlsKey'>): TlsFiles | null {
  return tlsCert === null || tlsKey === null ? null : { certificate: tlsCert, key: tlsKey }
}

/** Time that the end of a node may take under a configuration. */
export function drainLimitsFromConfig(config: Pick<Config, 'drainDelay' | 'drainTimeout'>): DrainLimits {
  return { delay: config.drainDelay * 1000, timeout: config.drainTimeout * 1000 }
}

/** The bounds of filters and subscriptions under a configuration. */
export function eventLimitsFromConfig(config: Config): EventLimits {
  return {
    filters: { timeout: config.filterTimeout * 1000, most: config.maxFilters },
    subscriptions: config.maxSubscriptions,
  }
}

/** The bounds of one exchange under a configuration. */
export function gatewayLimitsFromConfig(config: Config): GatewayLimits {
  return {
    batch: config.maxBatchRequests,
    answerBytes: config.maxResponseSize,
    responseCacheBytes: config.responseCache * MEBIBYTE,
  }
}

/** The bounds of every lane under a configuration. */
export function lanesFromConfig(config: Config): Readonly<Record<PoolLane, LaneLimits>> {
  return createLanes({
    read: laneLimits(config, 'read'),
    evm: laneLimits(config, 'evm'),
    scan: laneLimits(config, 'scan'),
    proof: laneLimits(config, 'proof'),
    trace: laneLimits(config, 'trace'),
  })
}
