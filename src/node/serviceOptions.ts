import { laneLimits } from '../config/options/lanes.ts'
import type { Config } from '../config/schema.ts'
import type { EventLimits } from '../filters/frontEvents.ts'
import type { FrontOptions } from '../front/options.ts'
import type { GatewayLimits } from '../gateway/gateway.ts'
import { createLanes, type LaneLimits, type PoolLane } from '../gateway/lanes.ts'

const MEBIBYTE = 1024 * 1024

/** How the front listens under a configuration. */
export function frontOptionsFromConfig(config: Config): FrontOptions {
  return {
    host: config.host,
    port: config.httpPort,
    hosts: config.allowedHosts,
    corsOrigin: config.corsOrigin,
    maxBodyBytes: config.maxBodySize,
    maxSocketBacklog: config.maxSocketBacklog,
    socketIdleSeconds: config.socketIdleTimeout,
    page: config.page,
  }
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
    keptBytes: config.answerCache * MEBIBYTE,
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
