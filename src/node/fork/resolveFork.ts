import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGenesis } from '../../chain/genesis.ts'
import { fillDefaults } from '../../config/load.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { networkByName } from '../../config/networks/byName.ts'
import { configuredNetwork, hasChosenHeights } from '../../config/networks/configured.ts'
import type { NetworkName } from '../../config/networks/names.ts'
import { LANES, laneOptionKey } from '../../config/options/lanes.ts'
import type { Config } from '../../config/schema.ts'
import { FORK_FILE, storeFolders } from '../../execution/chainFolders.ts'
import { NativeGenesisState } from '../../execution/genesisState.ts'
import { UpstreamError } from '../../fork/errors.ts'
import { type ForkBase, findForkBase, forkBlock } from '../../fork/forkBase.ts'
import { SharedStats } from '../../fork/sharedStats.ts'
import { Upstream } from '../../fork/upstream.ts'
import { UpstreamAddresses } from '../../fork/upstreamAddresses.ts'
import { upstreamUrls } from '../../fork/upstreamName.ts'
import { createNativeChainSpec } from '../../native/chainSpec.ts'
import { StateStore } from '../../native/stateStore.ts'
import type { Logger } from '../../observe/logger.ts'
import { makePrivateFolder } from '../../storage/fileModes.ts'
import { hasStoreData } from '../../storage/storeFile.ts'
import { toHex } from '../../util/bytes.ts'
import { NodeError } from '../errors.ts'

/** A fork that a node is to run. */
export interface ResolvedFork {
  readonly base: ForkBase
  /** Addresses, which may be replaced while the node runs. */
  readonly addresses: UpstreamAddresses
  /** The addresses as they are now. */
  readonly urls: readonly string[]
  /** Hosts of the upstream as it is now, for people. */
  readonly name: string
  readonly stats: SharedStats
}

/**
 * Finds out which block a fork goes on from: the one that the data directory has, or the one that the configuration
 * names, of which the directory has a record from then on.
 * @returns the configuration for its network, and the fork; null where none is wanted
 * @throws NodeError `FORK`
 */
export async function resolveFork(
  config: Config,
  log: Logger,
): Promise<{ readonly config: Config; readonly fork: ResolvedFork | null }> {
  const { forkUrl, dataDir } = config
  if (forkUrl === null) {
    if (!existsSync(join(dataDir, FORK_FILE))) return { config, fork: null }
    throw new NodeError(
      'FORK',
      `${dataDir} holds a fork of a network: name it with --fork-url, or another --data-dir`,
    )
  }
  const stats = new SharedStats()
  const addresses = new UpstreamAddresses(upstreamUrls(forkUrl))
  const upstream = new Upstream(addresses, stats)
  const stored = readBase(config)
  if (stored !== null && config.forkBlock === null) {
    log.info(
      { block: stored.number, dataDir },
      'the fork in the data directory goes on; --in-memory or another --data-dir begins a new one',
    )
  }
  const base = stored ?? (await makeBase(config, upstream))
  const fork = {
    ...{ base, addresses, stats },
    get urls() {
      return addresses.urls
    },
    get name() {
      return upstream.name
    },
  }
  return { config: configOf(config, base), fork }
}

/** The fork that the data directory has. @throws NodeError `FORK` where another one is wanted */
function readBase({ dataDir, forkBlock: wanted, chainId, offline }: Config): ForkBase | null {
  const path = join(dataDir, FORK_FILE)
  if (!existsSync(path)) {
    if (storeFolders(dataDir).some(hasStoreData))
      throw new NodeError('FORK', `${dataDir} holds a chain that is no fork: give another --data-dir`)
    if (offline) throw new NodeError('FORK', `${dataDir} holds no fork yet: start once without --offline`)
    return null
  }
  const base = JSON.parse(readFileSync(path, 'utf8')) as ForkBase
  const { chainId: own = networkByName(base.network).chainId } = base
  if (chainId !== 0 && chainId !== own)
    throw new NodeError(
      'FORK',
      `${dataDir} holds a fork with chain id ${own}: leave out --chain-id, or give another --data-dir`,
    )
  if (wanted === null || wanted.toLowerCase() === base.hash || Number(wanted) === base.number) return base
  throw new NodeError(
    'FORK',
    `${dataDir} holds a fork of block ${base.number} ${base.hash}: leave out --fork-block, or give another --data-dir`,
  )
}

async function makeBase(config: Config, upstream: Upstream): Promise<ForkBase> {
  const { dataDir, forkBlock: block, chainId } = config
  let base: ForkBase
  try {
    const found = await findForkBase(upstream, block, {
      specOf: (network) => specOf(config, network),
      genesisHashOf: (network) => genesisHashOf(config, network),
      hasFile: config.activationHeights !== null,
    })
    base = chainId === 0 || chainId === networkByName(found.network).chainId ? found : { ...found, chainId }
  } catch (error) {
    if (error instanceof UpstreamError) throw new NodeError('FORK', error.message, { cause: error })
    throw error
  }
  makePrivateFolder(dataDir)
  const path = join(dataDir, FORK_FILE)
  writeFileSync(`${path}.new`, `${JSON.stringify(base, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return base
}

/** @throws NodeError `FORK` for heights of a network whose heights are those of its blocks, of which the directory has a fork */
function specOf({ activationHeights }: Config, network: NetworkName): NetworkSpec {
  if (activationHeights !== null && !hasChosenHeights(network))
    throw new NodeError(
      'FORK',
      `the heights of ${network} are those of its blocks: leave out --activation-heights`,
    )
  return configuredNetwork({ network, activationHeights })
}

function genesisHashOf(config: Config, network: NetworkName): string {
  if (config.activationHeights === null) return networkByName(network).genesis.hash
  const spec = specOf(config, network)
  const store = StateStore.inMemory()
  return toHex(
    createGenesis(spec, new NativeGenesisState({ spec, nativeSpec: createNativeChainSpec(spec), store }))
      .hash,
  )
}

/** The configuration for a fork: options that are not given follow its network and its block. */
function configOf(config: Config, base: ForkBase): Config {
  const { network } = base
  const { header } = forkBlock(specOf(config, network), base)
  const standard = fillDefaults({ forkUrl: config.forkUrl, profile: 'dev', dataDir: config.dataDir })
  const price = Number(header.fields.minimumGasPrice ?? 0n)
  const isGiven = (key: 'minimumGasPrice' | 'targetGasLimit') => config[key] !== standard[key]
  return {
    ...config,
    network,
    chainId: base.chainId ?? 0,
    peers: false,
    mergedMining: false,
    minimumGasPrice: isGiven('minimumGasPrice') ? config.minimumGasPrice : price,
    targetGasLimit: isGiven('targetGasLimit') ? config.targetGasLimit : Number(header.gasLimit),
    ...longerLanes(config),
  }
}

/** Waiting for the upstream is no work of a request. */
function longerLanes(config: Config): Partial<Config> {
  const keys = LANES.map((lane) => laneOptionKey(lane, 'timeout'))
  return Object.fromEntries(keys.map((key) => [key, Number(config[key]) + config.forkTimeout]))
}
