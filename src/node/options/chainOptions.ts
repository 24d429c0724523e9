import { keptStates } from '../../config/keptStates.ts'
import { networkByName } from '../../config/networks/byName.ts'
import { type NetworkChoice, networkChoice } from '../../config/networks/configured.ts'
import type { Config } from '../../config/schema.ts'
import type { ForkBase } from '../../fork/forkBase.ts'
import { MANUAL_MODE, type ProducerMode } from '../../mining/blockProducer.ts'
import type { WorkOptions } from '../../mining/workServerParams.ts'
import type { StoreOptions } from '../../native/types.ts'
import type { PoolLimits } from '../../txpool/interface.ts'
import {
  type StablePriceOptions,
  stablePriceOptionsFromConfig,
  workOptionsFromConfig,
} from './miningOptions.ts'
import { stateStoreOptionsFromConfig, textBytesFromConfig } from './storeOptions.ts'

/** The options with which the chain thread is started: plain data, so that it can cross to another thread. */
export interface ChainOptions extends NetworkChoice {
  readonly dataDir: string
  /** True where nothing outlives the process. */
  readonly inMemory?: boolean
  readonly storeOptions: StoreOptions
  /** Blocks whose states are kept; null, and without it, all. */
  readonly proofs?: number | null
  /** Blocks whose values are kept; null, and without it, all. */
  readonly history?: number | null
  /** Bytes of texts that all threads keep together. */
  readonly encodedObjectBytes: number
  readonly pool: PoolLimits
  /** True when accounts pay with virtual gas for what they send (consensus.md §9.2). */
  readonly quota: boolean
  readonly production: ProductionOptions
  /** Accounts that exist from the beginning on of a development chain, beside those of genesis; wei. */
  readonly funded: readonly { readonly address: Uint8Array; readonly balance: bigint }[]
  /** Of a member of a fleet; null for a node alone. */
  readonly fleet: {
    /** Milliseconds for which the answer to a send waits for other members at most. */
    readonly sendWait: number
  } | null
  /** The block that the chain goes on from; absent where it is no fork. */
  readonly forkBase?: ForkBase
  /** Executes own blocks a second time and compares: for tests. */
  readonly checksOffers?: boolean
}

/** Options for the making of blocks. */
export interface ProductionOptions {
  readonly mode: ProducerMode
  /** `0x` hex; null is the account of {@link coinbaseSecret}. */
  readonly coinbase: string | null
  /** Its Keccak-256 hash is a private key; null is the network's own development account. */
  readonly coinbaseSecret: string | null
  /** Wei. */
  readonly minimumGasPrice: bigint
  readonly gasLimit: bigint
  /** Keeps the price stable in another currency; until a rate is known it is {@link minimumGasPrice}. */
  readonly stablePrice: StablePriceOptions | null
  /** Name and version in the extra data of blocks. */
  readonly client: string
  /** The miner's own text after it. */
  readonly extraText: string | null
  /** Work for miners outside the node; null where they are not served. */
  readonly work: WorkOptions | null
}

/**
 * The options of the chain thread under a configuration.
 * @param client name and version of the program
 * @param funded accounts of a development chain beside those of genesis
 */
export function chainOptionsFromConfig(
  config: Config,
  client: string,
  funded: ChainOptions['funded'] = [],
): ChainOptions {
  return {
    ...networkChoice(config),
    dataDir: config.dataDir,
    storeOptions: stateStoreOptionsFromConfig(config),
    inMemory: config.inMemory,
    proofs: keptStates(config.proofs),
    history: keptStates(config.history),
    encodedObjectBytes: textBytesFromConfig(config),
    pool: {
      accountSlots: config.accountSlots,
      gasPriceBump: config.gasPriceBump,
      outdatedBlocks: config.outdatedBlocks,
      outdatedMilliseconds: config.outdatedTime * 1000,
    },
    quota: config.accountQuota,
    funded,
    fleet: config.fleet.length > 0 ? { sendWait: config.fleetSendWait } : null,
    production: {
      mode: producerMode(config),
      coinbase: config.coinbase,
      coinbaseSecret: config.coinbaseSecret,
      minimumGasPrice: BigInt(config.minimumGasPrice),
      gasLimit: BigInt(blockGasLimit(config)),
      stablePrice: stablePriceOptionsFromConfig(config),
      client,
      extraText: config.extraData,
      work: workOptionsFromConfig(config),
    },
  }
}

/** The parallel sublists keep what the network leaves them beside the sequential one. */
function blockGasLimit({ network, targetGasLimit, transactionGas }: Config): number {
  const { mining, minimumSequentialGas } = networkByName(network)
  if (transactionGas <= minimumSequentialGas) return targetGasLimit
  return Math.max(targetGasLimit, transactionGas + Math.max(0, mining.targetGasLimit - minimumSequentialGas))
}

function producerMode({ mining, blockTime }: Pick<Config, 'mining' | 'blockTime'>): ProducerMode {
  if (!mining) return MANUAL_MODE
  return blockTime === 0 ? { instant: true, interval: null } : { instant: false, interval: blockTime }
}
