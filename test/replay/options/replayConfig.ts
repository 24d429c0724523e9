import { fillDefaults } from '../../../src/config/load.ts'
import { MAX_BLOCK_TIME_SECONDS } from '../../../src/config/options/production.ts'
import { type Config, OPTIONS } from '../../../src/config/schema.ts'
import { nodeInfoFromConfig } from '../../../src/node/nodeInfo.ts'
import type { NodeInfo, RpcSettings } from '../../../src/rpc/context.ts'
import { isModuleKey, openMethods } from './modules.ts'
import { type RecordedOptions, type RecordingHead, readOptions } from './readOptions.ts'
import { fixedRow, irrelevance, LISTS, SETTINGS } from './table.ts'
import { RecordingOptionError } from './values.ts'

/** How this node is set up to answer as the recorded one. */
export interface ReplayConfig {
  readonly config: Config
  /** What no option of this node sets. */
  readonly settings: Pick<RpcSettings, 'gasPriceFactor'>
}

type Rows = typeof SETTINGS & typeof LISTS

/** The value of every option that changes answers, by the key of the reference. */
export type ReferenceSettings = { readonly [K in keyof Rows]: Rows[K]['default'] }

const ZERO_ADDRESS = `0x${'00'.repeat(20)}`
const LOOPBACK = /^(localhost|127\..*|::1)$/

/**
 * The set-up that the options of a recording ask for.
 * @throws RecordingOptionError for an option that is not in the table, or a value that cannot be replayed: with its key
 */
export function replayConfigOf(head: RecordingHead): ReplayConfig {
  const recorded = readOptions(head)
  if (recorded.network !== 'regtest') {
    throw new RecordingOptionError(`a recording of ${recorded.network} cannot be replayed, only of regtest`)
  }
  return toReplayConfig(referenceSettings(recorded), recorded)
}

/** Reads every option. @throws RecordingOptionError as {@link replayConfigOf} */
export function referenceSettings({ values }: RecordedOptions): ReferenceSettings {
  const settings: Record<string, unknown> = {}
  for (const [key, row] of Object.entries({ ...SETTINGS, ...LISTS })) settings[key] = row.default
  const begun = new Set<string>()
  for (const [key, value] of values) {
    const listKey = key.replace(/\.\d+$/, '')
    if (isSettingKey(key)) settings[key] = SETTINGS[key].parse(value, key)
    else if (isListKey(listKey)) {
      // Elements come one by one; the first takes the place of the default.
      const before = begun.has(listKey) ? (settings[listKey] as readonly string[]) : []
      settings[listKey] = [...before, ...LISTS[listKey].parse(value, key)]
      begun.add(listKey)
    } else assertWithoutEffect(key, value)
  }
  return settings as ReferenceSettings
}

function isSettingKey(key: string): key is keyof typeof SETTINGS {
  return Object.hasOwn(SETTINGS, key)
}

function isListKey(key: string): key is keyof typeof LISTS {
  return Object.hasOwn(LISTS, key)
}

function assertWithoutEffect(key: string, value: string): void {
  const fixed = fixedRow(key)
  if (fixed !== null) {
    if (fixed.parse(value, key) === fixed.value) return
    throw new RecordingOptionError(`option ${key} of the recording: only ${fixed.value} can be replayed`)
  }
  if (isModuleKey(key) || irrelevance(key) !== null) return
  throw new RecordingOptionError(`the replay does not know the option ${key} of the recording`)
}

/** The set-up for settings of the reference. */
export function toReplayConfig(settings: ReferenceSettings, recorded: RecordedOptions): ReplayConfig {
  const serves = settings['miner.server.enabled']
  const mines = serves && settings['miner.client.enabled']
  const timeout = settings['transaction.outdated.timeout']
  const coinbase = settings['miner.reward.address']
  const config = fillDefaults({
    network: 'regtest',
    ...openMethods(recorded),
    minimumGasPrice: settings['miner.minGasPrice'],
    mergedMining: serves,
    mining: mines,
    // Blocks in intervals come from the recording, not from a timer.
    blockTime: settings['miner.client.autoMine'] ? 0 : MAX_BLOCK_TIME_SECONDS,
    submissionInterval: Math.max(0, settings['miner.server.workSubmissionRateLimitInMills']),
    workOnTransactions: settings['miner.server.updateWorkOnNewTransaction'],
    coinbase: serves ? prefixed(coinbase) : ZERO_ADDRESS,
    coinbaseSecret: settings['miner.coinbase.secret'],
    targetGasLimit: settings.targetgaslimit,
    outdatedBlocks: settings['transaction.outdated.threshold'],
    outdatedTime: timeout > 0 ? timeout : OPTIONS.outdatedTime.maximum,
    gasPriceBump: settings['transaction.gasPriceBump'],
    accountSlots: settings['transaction.accountSlots'],
    accountQuota: settings['transaction.accountTxRateLimit.enabled'],
    wallet: settings['wallet.enabled'],
    callGasCap: cap(settings['rpc.callGasCap'], OPTIONS.callGasCap.maximum),
    estimateGasCap: settings['rpc.gasEstimationCap'],
    stateOverrides: settings['rpc.allowCallStateOverride'],
    maxResponseSize: cap(settings['rpc.maxResponseSize'], OPTIONS.maxResponseSize.maximum),
    maxBatchRequests: settings['rpc.providers.web.max_batch_requests_size'],
    maxBodySize: settings['rpc.providers.web.http.max_aggregated_frame_size'],
    allowedHosts: allowedHosts(settings),
    corsOrigin: corsOrigin(settings['rpc.providers.web.cors']),
    // The reference answers what blocks ask for, also when that is nothing.
    gasPriceFloor: 0,
    revertErrors: 'reference',
  })
  return {
    config,
    settings: { gasPriceFactor: BigInt(Math.round(settings['rpc.minGasPriceMultiplier'] * 1000)) },
  }
}

/** What the methods are told under the set-up. */
export function nodeInfoOf({ config, settings }: ReplayConfig): NodeInfo {
  const info = nodeInfoFromConfig(config, 'replay')
  return { ...info, settings: { ...info.settings, ...settings } }
}

/** What is not above 0 is no limit in the reference. */
function cap(value: number, most: number): number {
  return value > 0 ? Math.min(value, most) : most
}

function prefixed(address: string | null): string | null {
  return address === null ? null : `0x${address.replace(/^0x/, '')}`
}

/** Bound to this machine alone the reference takes that name and no other (rpc.md §1.1). */
function allowedHosts(settings: ReferenceSettings): readonly string[] {
  const bound = settings['rpc.providers.web.http.bind_address']
  return LOOPBACK.test(bound) ? ['localhost'] : settings['rpc.providers.web.http.hosts']
}

/** One origin or any; a bare name as the default of the reference is, is the origin of no page. */
function corsOrigin(text: string): string | null {
  if (text === '*') return text
  const origins = text.split(/\s+/).filter((origin) => origin.includes('://'))
  if (origins.length <= 1) return origins[0] ?? null
  throw new RecordingOptionError('option rpc.providers.web.cors of the recording: one origin can be replayed')
}
