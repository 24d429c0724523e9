import type { Config } from '../../config/schema.ts'
import type { AccessRules } from '../../gateway/access/accessAdmission.ts'
import { TrustedProxies } from '../../gateway/access/clientAddress.ts'

const MEBIBYTE = 1024 * 1024

/** The rules on keys and on how much everybody may ask for, under a configuration. */
export function accessRulesFromConfig(config: Config): AccessRules {
  return {
    requireKey: config.requireKey as AccessRules['requireKey'],
    keyLimits: {
      rate: config.keyRate,
      burst: config.keyBurst,
      dailyQuota: config.keyDailyQuota,
      concurrency: config.keyConcurrency,
      sockets: config.keySockets,
      subscriptions: config.keySubscriptions,
    },
    clientLimits: {
      rate: config.clientRate,
      burst: config.clientBurst,
      dailyQuota: config.clientDailyQuota,
      concurrency: config.clientConcurrency,
      sockets: config.clientSockets,
      subscriptions: config.clientSubscriptions,
    },
    proxies: new TrustedProxies(config.trustedProxies),
    memory: { client: config.clientMemory * MEBIBYTE, total: config.memoryTotal * MEBIBYTE },
  }
}
