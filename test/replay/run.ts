import type { Config } from '../../src/config/schema.ts'
import { frontOptionsFromConfig } from '../../src/node/options/serviceOptions.ts'
import type { Service } from '../../src/node/service.ts'
import type { NodeContext } from '../../src/rpc/context.ts'
import { METHODS } from '../../src/rpc/methods.ts'
import { createLocalService, type LocalService, type LocalServiceOptions } from '../support/ask.ts'
import { openHttpService } from '../support/httpService.ts'
import { compareExchange, type Verdict } from './compare.ts'
import { type Exchange, requestMethods, requestText } from './exchanges.ts'
import { compareHttp } from './httpDifferences.ts'
import { askHttp } from './httpExchange.ts'
import type { Scenario } from './scenario/scenario.ts'

/** Where the replay gets the node from. */
export interface ContextSource {
  /** The node with that block as its head; null when the block is not known. */
  at(head: string): NodeContext | null
  /** Whether the source can answer the method at all. */
  supports(method: string): boolean
}

/** Verdicts of a replay, by method. */
export interface ReplayReport {
  readonly methods: ReadonlyMap<string, MethodTally>
  readonly unlisted: readonly { readonly exchange: Exchange; readonly verdict: Verdict }[]
}

/** Counts of one method. */
export interface MethodTally {
  equal: number
  listed: number
  unlisted: number
  /**
   * Not replayed here: solutions of pools (test/mining), texts of which only the beginning is recorded, time limits, and what has no request.
   */
  skipped: number
}

/** Under this name notifications are counted. */
const NOTIFICATION = 'eth_subscription'

const CHANGES_STATE = new Set(METHODS.filter(({ lane }) => lane === 'chain').map(({ name }) => name))
/** Methods that depend on what was asked before, or on how the node was started. */
const REMEMBERS =
  /^(txpool_|personal_|evm_|sco_|mnr_|debug_accountTransactionQuota|eth_(coinbase|mining|new\w*Filter|getFilter|uninstallFilter|accounts|sign|pendingTransactions|subscribe|unsubscribe))/

/**
 * Asks every recorded read again on the head it was asked at, and everything else in its turn on a living node
 * when there is a scenario.
 * @param config bounds of the service; the default ones unless given
 */
export async function replay(
  exchanges: readonly Exchange[],
  source: ContextSource | null,
  scenario: Scenario | null = null,
  config: Config | null = null,
): Promise<ReplayReport> {
  const methods = new Map<string, MethodTally>()
  const unlisted: { exchange: Exchange; verdict: Verdict }[] = []
  const services = new Map<string, LocalService | null>()
  let http: Service | null = null
  for (const [index, exchange] of exchanges.entries()) {
    if (scenario?.take(exchange) === true) continue
    const name = requestMethods(exchange)[0] ?? '(raw)'
    const tally = methods.get(name) ?? { equal: 0, listed: 0, unlisted: 0, skipped: 0 }
    methods.set(name, tally)
    const text = source !== null && isReplayable(exchange, source) ? requestText(exchange) : null
    const service = text === null ? null : serviceAt(exchange.head?.hash ?? '', source, services, config)
    let verdict: Verdict | null
    if (text !== null && service !== null) verdict = compareExchange(exchange, await service.ask(text))
    else if (isAboutHttp(exchange) && requestText(exchange) !== null) {
      http ??= await openHttp(config)
      verdict = compareHttp(exchange, await askHttp(http.port, exchange))
    } else if (scenario === null || isAboutHttp(exchange)) verdict = null
    else verdict = await scenario.step(exchange, exchanges.slice(index + 1))
    if (verdict === null) {
      tally.skipped += 1
      continue
    }
    tally[verdict.kind] += 1
    if (verdict.kind === 'unlisted') unlisted.push({ exchange, verdict })
  }
  for (const { exchange, verdict } of scenario?.notifications() ?? []) {
    const tally = methods.get(NOTIFICATION) ?? { equal: 0, listed: 0, unlisted: 0, skipped: 0 }
    methods.set(NOTIFICATION, tally)
    tally[verdict.kind] += 1
    if (verdict.kind === 'unlisted') unlisted.push({ exchange, verdict })
  }
  for (const service of services.values()) service?.close()
  await http?.stop()
  return { methods, unlisted }
}

function serviceAt(
  head: string,
  source: ContextSource | null,
  services: Map<string, LocalService | null>,
  config: Config | null,
): LocalService | null {
  const known = services.get(head)
  if (known !== undefined) return known
  const context = source?.at(head) ?? null
  const service = context === null ? null : createLocalService(context, localLimits(config))
  services.set(head, service)
  return service
}

function localLimits(config: Config | null): LocalServiceOptions {
  return config === null ? {} : { batch: config.maxBatchRequests, answerBytes: config.maxResponseSize }
}

function openHttp(config: Config | null): Promise<Service> {
  if (config === null) return openHttpService()
  const { hosts, corsOrigin, maxBodyBytes } = frontOptionsFromConfig(config)
  return openHttpService({
    front: { hosts, corsOrigin, maxBodyBytes },
    limits: { batch: config.maxBatchRequests, answerBytes: config.maxResponseSize },
  })
}

/** Whether the answer depends on nothing but the chain up to the head. */
export function isReplayable(exchange: Exchange, source: ContextSource): boolean {
  if (exchange.transport !== 'http' || exchange.head === undefined || isAboutHttp(exchange)) return false
  const methods = requestMethods(exchange)
  if (methods.some((method) => CHANGES_STATE.has(method) || REMEMBERS.test(method))) return false
  if (methods.some((method) => !source.supports(method))) return false
  return !needsPool(exchange)
}

/** What is sent over a socket: verbs, headers and paths. */
function isAboutHttp({ http }: Exchange): boolean {
  if (http === undefined) return false
  const { method, path, headers } = http
  return (
    method !== 'POST' ||
    path !== '/' ||
    Object.keys(headers).length !== 1 ||
    headers['content-type'] !== 'application/json'
  )
}

/** Pending transactions and blocks come from the pool, which only a scenario rebuilds. */
function needsPool({ request, response }: Exchange): boolean {
  const result = (response as { result?: { blockHash?: unknown } } | null)?.result
  if (typeof result === 'object' && result !== null && 'blockHash' in result && result.blockHash === null)
    return true
  const { method, params } = request as { method?: unknown; params?: unknown }
  return (
    method !== undefined &&
    Array.isArray(params) &&
    params.includes('pending') &&
    response !== null &&
    !isError(response)
  )
}

function isError(response: unknown): boolean {
  return typeof response === 'object' && response !== null && 'error' in response
}
