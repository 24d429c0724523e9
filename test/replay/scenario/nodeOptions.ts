import type { PartialConfig } from '../../../src/config/schema.ts'

/** The first line of a recording. */
export interface RecordingHead {
  readonly node: {
    /** Command line, or… */
    readonly cmd?: string
    /** …options alone. */
    readonly options?: readonly string[]
    readonly note?: string
  }
}

/** Modules of the recorded node unless its options say otherwise (rpc.md §1.5). */
const DEFAULT_MODULES = ['eth', 'evm', 'net', 'personal', 'rpc', 'rsk', 'txpool', 'web3']
const DEFAULT_DISABLED = ['rsk_getStorageBytesAt']
const ALL_MODULES_NOTE = 'all rpc modules enabled'

/** Configuration of this node that corresponds to the options of the recorded one. */
export function configOf({ node }: RecordingHead): PartialConfig {
  const all = node.options?.includes(ALL_MODULES_NOTE) === true
  const given = readOptions(node)
  const number = (name: string) => (given.has(name) ? { [name]: Number(given.get(name)) } : {})
  const { 'rpc.maxResponseSize': maxResponseSize } = number('rpc.maxResponseSize')
  const { 'rpc.callGasCap': callGasCap } = number('rpc.callGasCap')
  const { 'rpc.gasEstimationCap': estimateGasCap } = number('rpc.gasEstimationCap')
  const batch = 'rpc.providers.web.max_batch_requests_size'
  const timeout = Number(given.get('rpc.timeout') ?? 0)
  return {
    modules: all ? ['*'] : DEFAULT_MODULES,
    disabledMethods: all ? [] : DEFAULT_DISABLED,
    mining: given.get('miner.client.autoMine') === 'true',
    accountQuota: given.get('transaction.accountTxRateLimit.enabled') !== 'false',
    // The reference answers what blocks ask for, also when that is nothing.
    gasPriceFloor: 0,
    stateOverrides: given.get('rpc.allowCallStateOverride') === 'true',
    ...(maxResponseSize === undefined ? {} : { maxResponseSize }),
    ...(callGasCap === undefined ? {} : { callGasCap: Math.min(callGasCap, 1_000_000_000) }),
    ...(estimateGasCap === undefined ? {} : { estimateGasCap }),
    ...(given.has(batch) ? { maxBatchRequests: Number(given.get(batch)) } : {}),
    ...(timeout > 0 ? { laneEvmTimeout: Math.ceil(timeout / 1000) } : {}),
  }
}

function readOptions({ cmd = '', options = [] }: RecordingHead['node']): ReadonlyMap<string, string> {
  const texts = [
    ...cmd.split(' ').flatMap((word) => (word.startsWith('-D') ? [word.slice(2)] : [])),
    ...options,
  ]
  return new Map(
    texts.flatMap((text) => {
      const [name, value] = text.split('=')
      return name === undefined || value === undefined ? [] : [[name, value] as const]
    }),
  )
}
