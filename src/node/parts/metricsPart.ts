import type { Config } from '../../config/schema.ts'
import { type Logger, lostEntries } from '../../observe/logger.ts'
import { createNodeMetrics, type NodeMetrics } from '../metrics/nodeMetrics.ts'
import type { OpenStores } from '../metrics/storeMetrics.ts'
import type { Opened } from '../opened.ts'
import { storeLimitFromConfig } from '../options/storeOptions.ts'
import type { ThreadContext } from '../threadContext.ts'
import type { ReachableParts } from './nodeScope.ts'

/** Begins to observe this thread; what else is measured is reached once it is open. */
export function openMetrics(
  parts: Opened,
  { chain, mining, stores, service }: ReachableParts,
  { config, version, logger }: { readonly config: Config; readonly version: string; readonly logger: Logger },
): Promise<NodeMetrics> {
  return parts.open({
    open: () =>
      createNodeMetrics({
        version,
        lostLogEntries: () => lostEntries(logger),
        hashrate: () => mining.now?.commands.reportedHashrate() ?? 0n,
        service: () => service.now,
        stores: () => stores.now && openStoresOf(stores.now, config),
        chainBusySeconds: () => chain.now?.handle.busySeconds() ?? 0,
      }),
    close: (metrics) => metrics.close(),
  })
}

function openStoresOf({ environment, stateStore, context }: ThreadContext, config: Config): OpenStores {
  return {
    dataDir: config.dataDir,
    chain: environment,
    state: stateStore,
    encodedObjects: context.encodedObjects,
    limitBytes: storeLimitFromConfig(config),
  }
}
