import type { NetworkName } from '../config/networks/names.ts'
import type { Config } from '../config/schema.ts'
import type { ProducerMode } from '../mining/blockProducer.ts'
import type { StoreOptions } from '../native/types.ts'
import type { PoolLimits } from '../txpool/interface.ts'
import { stateStoreOptionsFromConfig } from './storeOptions.ts'

/** What the chain thread is started with: plain data, so that it can cross to another thread. */
export interface ChainOptions {
  readonly network: NetworkName
  readonly dataDir: string
  readonly storeOptions: StoreOptions
  readonly pool: PoolLimits
  /** Whether accounts pay with virtual gas for what they send (consensus.md §9.2). */
  readonly quota: boolean
  readonly production: ProductionOptions
}

/** How blocks are made. */
export interface ProductionOptions {
  readonly mode: ProducerMode
  /** `0x` hex; null is the network's own development account. */
  readonly coinbase: string | null
  /** Wei. */
  readonly minimumGasPrice: bigint
  readonly gasLimit: bigint
  /** Name and version in the extra data of blocks. */
  readonly client: string
}

/** The options of the chain thread under a configuration. `client` names program and version. */
export function chainOptionsFromConfig(config: Config, client: string): ChainOptions {
  return {
    network: config.network,
    dataDir: config.dataDir,
    storeOptions: stateStoreOptionsFromConfig(config),
    pool: {
      accountSlots: config.accountSlots,
      gasPriceBump: config.gasPriceBump,
      outdatedBlocks: config.outdatedBlocks,
      outdatedMilliseconds: config.outdatedTime * 1000,
    },
    quota: config.accountQuota,
    production: {
      mode: producerMode(config),
      coinbase: config.coinbase,
      minimumGasPrice: BigInt(config.minimumGasPrice),
      gasLimit: BigInt(config.targetGasLimit),
      client,
    },
  }
}

function producerMode({ mining, blockTime }: Pick<Config, 'mining' | 'blockTime'>): ProducerMode {
  if (!mining) return { kind: 'off' }
  return blockTime === 0 ? { kind: 'instant' } : { kind: 'interval', seconds: blockTime }
}
