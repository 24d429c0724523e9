import { NEVER } from '../../../src/config/activations.ts'
import { regtest } from '../../../src/config/networks/regtest.ts'
import { RULES } from '../../../src/config/rules.ts'
import { boolean, decimal, integer, list, text, type ValueParser } from './values.ts'

/** An option that becomes a setting of this node. */
export interface SettingRow<T = unknown> {
  readonly parse: ValueParser<T>
  /** What the reference has on regtest where the recording says nothing. */
  readonly default: T
}

/** An option of which this node has one value only: another one cannot be replayed. */
export interface FixedRow {
  readonly parse: ValueParser<boolean | number | string>
  readonly value: boolean | number | string
}

function setting<T>(parse: ValueParser<T>, value: NoInfer<T>): SettingRow<T> {
  return { parse, default: value }
}

/** Options that change answers, by the key of the reference (rpc.md §1.5, consensus.md §9, mining.md). */
export const SETTINGS = {
  'miner.minGasPrice': setting(integer, 0),
  'miner.server.enabled': setting(boolean, true),
  'miner.server.workSubmissionRateLimitInMills': setting(integer, 0),
  'miner.server.updateWorkOnNewTransaction': setting(boolean, false),
  'miner.client.enabled': setting(boolean, true),
  'miner.client.autoMine': setting(boolean, false),
  'miner.coinbase.secret': setting<string | null>(text, null),
  'miner.reward.address': setting<string | null>(text, null),
  targetgaslimit: setting(integer, 7_500_000),
  'transaction.outdated.threshold': setting(integer, 10),
  'transaction.outdated.timeout': setting(integer, 650),
  'transaction.gasPriceBump': setting(integer, 40),
  'transaction.accountSlots': setting(integer, 16),
  'transaction.accountTxRateLimit.enabled': setting(boolean, true),
  'wallet.enabled': setting(boolean, true),
  'rpc.callGasCap': setting(integer, 10_000_000),
  'rpc.gasEstimationCap': setting(integer, 6_800_000),
  'rpc.allowCallStateOverride': setting(boolean, false),
  'rpc.maxResponseSize': setting(integer, 10_485_760),
  'rpc.minGasPriceMultiplier': setting(decimal, 1.1),
  'rpc.providers.web.cors': setting(text, 'localhost'),
  'rpc.providers.web.max_batch_requests_size': setting(integer, 50),
  'rpc.providers.web.http.bind_address': setting(text, 'localhost'),
  'rpc.providers.web.http.max_aggregated_frame_size': setting(integer, 5_242_880),
} as const satisfies Readonly<Record<string, SettingRow>>

/** Lists of texts, which a command line gives element by element: `key.0=…`. */
export const LISTS = {
  'rpc.providers.web.http.hosts': setting<readonly string[]>(list, ['*']),
} as const satisfies Readonly<Record<string, SettingRow<readonly string[]>>>

/** Heights of the reference's regtest that are not 0. */
const UPGRADES_NEVER: ReadonlySet<string> = new Set(['afterBridgeSync', 'arrowhead631'])

/** Options with one possible value; null for a key that this function does not know. */
export function fixedRow(key: string): FixedRow | null {
  const [, upgrade] = /^blockchain\.config\.hardforkActivationHeights\.(\w+)$/.exec(key) ?? []
  if (upgrade !== undefined) return { parse: integer, value: UPGRADES_NEVER.has(upgrade) ? NEVER : 0 }
  const [, name] = /^blockchain\.config\.consensusRules\.(\w+)$/.exec(key) ?? []
  const rule = RULES.find((known) => known === name)
  if (rule !== undefined) return { parse: integer, value: regtest.activationHeights[rule] }
  return FIXED[key] ?? null
}

const FIXED: Readonly<Record<string, FixedRow>> = {
  'blockchain.config.name': { parse: text, value: 'regtest' },
  genesis: { parse: text, value: 'rsk-dev.json' },
  forcegaslimit: { parse: boolean, value: true },
  'miner.server.isFixedClock': { parse: boolean, value: false },
  'miner.stableGasPrice.enabled': { parse: boolean, value: false },
  'transaction.gasPriceCalculatorType': { parse: text, value: 'PLAIN_PERCENTILE' },
  // Counts only while blocks are full, and there is one factor here.
  'rpc.gasPriceMultiplier': { parse: decimal, value: 1.1 },
  'rpc.skipRemasc': { parse: boolean, value: false },
  'rpc.zeroSignatureIfRemasc': { parse: boolean, value: true },
  'rpc.trace.maxTracesPerRequest': { parse: integer, value: 10_000 },
  'rpc.providers.web.http.enabled': { parse: boolean, value: true },
}

const NO_PEERS = 'the replayed node has no peers, nor had the recorded one'
const SPEED = 'how fast the reference answers, not what'
const WITHOUT_TIME = 'answers that ran out of time are not replayed: limits of time need threads'

/** Options that change no recorded answer, with the reason. `**` stands for any further parts of a key. */
export const IRRELEVANT: Readonly<Record<string, string>> = {
  'rsk.conf.file': 'the note of the recording says what matters in the file',
  'logback.**': 'logs',
  'blockchain.config.verify': 'whether unknown keys stop the reference',
  'blockchain.gc.**': SPEED,
  'blockchain.flushNumberOfBlocks': SPEED,
  'peer.**': NO_PEERS,
  'sync.**': NO_PEERS,
  'scoring.**': NO_PEERS,
  'public.**': NO_PEERS,
  bind_address: NO_PEERS,
  'hello.phrase': NO_PEERS,
  'wire.protocol': NO_PEERS,
  'messages.recorder.**': NO_PEERS,
  'database.**': 'where and how the reference stores',
  'keyvalue.datasource': 'where and how the reference stores',
  'cache.**': SPEED,
  'crypto.library': SPEED,
  'blooms.**': SPEED,
  'vm.executionStackSize': SPEED,
  'vm.structured.**': 'files that the reference writes beside its answers',
  'dump.**': 'files that the reference writes beside its answers',
  'system.**': 'what the reference logs about its machine',
  'solc.path': 'the methods that compiled are gone (decisions.md D46)',
  'play.vm': 'read by nothing that answers',
  'GitHubTests.**': 'the tests of the reference',
  'miner.gasUnitInDollars': 'when miners are told of work; work and its solutions are not compared',
  'miner.minFeesNotifyInDollars': 'when miners are told of work; work and its solutions are not compared',
  'miner.client.delayBetweenBlocks': 'blocks that the reference made in intervals come from the recording',
  'miner.client.delayBetweenRefreshes': 'when the reference asks itself for work',
  'miner.stableGasPrice.**': 'switched off, or the recording is refused',
  'transaction.accountTxRateLimit.cleanerPeriod': 'when the reference forgets accounts whose quota is full',
  'rpc.timeout': WITHOUT_TIME,
  'rpc.logs.maxBlocksToQuery': 'the limits of the specification hold (decisions.md D30)',
  'rpc.logs.maxLogsToReturn': 'the limits of the specification hold (decisions.md D30)',
  'rpc.providers.web.http.port': 'the replay takes a free port',
  'rpc.providers.web.http.linger_time': 'how the reference closes connections, and it closes each',
  'rpc.providers.web.ws.**': 'the exchanges of a WebSocket are replayed without a socket',
}

/** Why an option changes no answer; null for one that is not known to. */
export function irrelevance(key: string): string | null {
  if (IRRELEVANT[key] !== undefined) return IRRELEVANT[key]
  const parts = key.split('.')
  for (let length = parts.length - 1; length > 0; length--) {
    const reason = IRRELEVANT[`${parts.slice(0, length).join('.')}.**`]
    if (reason !== undefined) return reason
  }
  return null
}
