import { join } from 'node:path'
import { Blockchain } from '../chain/blockchain.ts'
import type { Block } from '../chain/codec/block.ts'
import { createGenesis, type GenesisStateWriter } from '../chain/genesis.ts'
import { initializeChain } from '../chain/initializeChain.ts'
import { type PrunedStates, StatePruning, type StatePruningOptions } from '../chain/statePruning.ts'
import type { OptionalRule } from '../chain/validation/blockRules.ts'
import { type PrunedValues, ValuePruning } from '../chain/valuePruning.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { createNativeChainSpec, type NativeChainSpec } from '../native/chainSpec.ts'
import { type DirectoryLock, lockDirectory } from '../native/directoryLock.ts'
import { StateStore } from '../native/stateStore.ts'
import { nameEditedStates } from '../state/editedStates.ts'
import { ChainEnvironment } from '../storage/chainEnvironment.ts'
import { makePrivateFolder, restrictModes, storePaths } from '../storage/fileModes.ts'
import { makeLockFile } from '../storage/lockFile.ts'
import { recordStoresCreated } from '../storage/storeFile.ts'
import {
  assertNoFork,
  assertNotEmptied,
  assertReadable,
  assertWhole,
  inUse,
  LOCK_FILE,
  storeFolders,
} from './chainFolders.ts'
import { NativeGenesisState } from './genesisState.ts'
import { NativeBlockExecutor } from './nativeBlockExecutor.ts'
import { type ForkStart, initializeFork } from './openFork.ts'

/** Rules that blocks above a fork do not keep: nobody proves work for them, and their ancestors are not all here. */
const FORK_RULES: ReadonlySet<OptionalRule> = new Set(['proofOfWork', 'forkDetectionData'])

export interface OpenChainOptions {
  readonly spec: NetworkSpec
  readonly dataDir: string
  /** Sizes of the state store's caches, and the largest size of either store's file. */
  readonly storeOptions?: Parameters<typeof StateStore.open>[1]
  /** Rules that recorded chains do not keep; none on a network. */
  readonly disabledRules?: ReadonlySet<OptionalRule>
  /** Lets parallel sublists call the Bridge and REMASC: for recorded chains of scenario tests only. */
  readonly systemContractsInParallel?: boolean
  /** Executes blocks that were built here all the same and compares: for tests. */
  readonly checksOffers?: boolean
  /** Reads every page of the stores' files that is in use before they are opened, however many they are. */
  readonly checksPages?: boolean
  /** Makes another genesis than the network's. */
  readonly genesis?: (writer: GenesisStateWriter) => Block
  /** Blocks whose states are kept; null, and without it, all that are there. */
  readonly proofs?: number | null
  /** Blocks whose values are kept; null, and without it, all that are there. */
  readonly history?: number | null
  /** Called when states were given up. */
  readonly onPruned?: (pruned: PrunedStates | PrunedValues) => void
  /** Called when states should have been given up and could not be. */
  readonly onPruningFault?: (error: unknown) => void
  /** The block that the chain goes on from, where it is a fork; the state store reads its upstream already. */
  readonly fork?: ForkStart
  /** True when the best executed block is the head at once; always unless given (`chain/blockchain.ts`). */
  readonly adoptsAtOnce?: () => boolean
  /** Seconds since 1970. */
  readonly now?: () => number
}

/** The stores of a data directory and the chain in them. The thread that writes has it. */
export interface OpenChain {
  readonly nativeSpec: NativeChainSpec
  readonly environment: ChainEnvironment
  readonly stateStore: StateStore
  readonly chain: Blockchain
  readonly executor: NativeBlockExecutor
  /** Waits until everything is on disk and closes the chain store. */
  close(): Promise<void>
}

/**
 * Opens a data directory, makes the genesis block where there is none, and goes on from the stored head.
 * @throws StorageError when another process has the directory, for a store of another format or chain, or one
 * whose head has no state
 */
export function openChain(options: OpenChainOptions): OpenChain {
  makePrivateFolder(options.dataDir)
  const lock = lockDirectory(options.dataDir)
  if (lock === null) throw inUse(options.dataDir)
  try {
    assertWhole(options.dataDir)
    if (options.fork === undefined) assertNoFork(options.dataDir)
    return openLocked(options, lock)
  } catch (error) {
    lock.release()
    throw error
  }
}

function openLocked(options: OpenChainOptions, lock: DirectoryLock): OpenChain {
  const { spec, dataDir } = options
  const nativeSpec = createNativeChainSpec(spec)
  const folders = storeFolders(dataDir)
  assertReadable(folders, options.checksPages === true ? 'all' : 'quick')
  for (const folder of folders) {
    makePrivateFolder(folder)
    makeLockFile(folder)
  }
  const [stateFolder, chainFolder] = folders
  const stateStore = StateStore.open(stateFolder, options.storeOptions)
  const limitBytes = options.storeOptions?.mapBytes
  const environment = new ChainEnvironment(chainFolder, limitBytes === undefined ? {} : { limitBytes })
  assertNotEmptied(environment, folders)
  const executor = new NativeBlockExecutor({
    spec,
    nativeSpec,
    store: stateStore,
    systemContractsInParallel: options.systemContractsInParallel ?? false,
    checksPrebuilt: options.checksOffers ?? false,
  })
  if (options.fork === undefined) {
    const writer = new NativeGenesisState({ spec, nativeSpec, store: stateStore })
    initializeChain(spec, environment, executor, options.genesis?.(writer) ?? createGenesis(spec, writer))
  } else initializeFork(spec, nativeSpec, { environment, stateStore }, options.fork)
  nameEditedStates(environment, stateStore)
  const disabledRules = options.fork === undefined ? options.disabledRules : FORK_RULES
  const chain = new Blockchain({
    spec,
    nativeSpec,
    environment,
    executor,
    ...(disabledRules === undefined ? {} : { disabledRules }),
    ...(options.adoptsAtOnce === undefined ? {} : { adoptsAtOnce: options.adoptsAtOnce }),
    ...(options.now === undefined ? {} : { now: options.now }),
  })
  const pruning = startPruning(options, { chain, environment, states: executor, stateStore })
  // States that are given up with age are not worth their conversion: it goes as a whole when the line leaves it.
  if ((options.history ?? null) === null) stateStore.startConversion(chain.head.hash)
  recordStoresCreated(folders)
  restrictModes([dataDir, join(dataDir, LOCK_FILE), ...folders.flatMap(storePaths)])
  return {
    nativeSpec,
    environment,
    stateStore,
    chain,
    executor,
    close: async () => {
      for (const each of pruning) each.stop()
      stateStore.setProofs(null)
      stateStore.keepHistory()
      await environment.flushed()
      await environment.close()
      lock.release()
    },
  }
}

function startPruning(
  { proofs = null, history = null, onPruned, onPruningFault }: OpenChainOptions,
  parts: Pick<StatePruningOptions, 'chain' | 'environment'> & {
    readonly states: NativeBlockExecutor
    readonly stateStore: StateStore
  },
): readonly { stop(): void }[] {
  const { stateStore, chain, environment, states } = parts
  stateStore.setProofs(proofs)
  const sinks = {
    ...(onPruned === undefined ? {} : { onPruned }),
    ...(onPruningFault === undefined ? {} : { onFault: onPruningFault }),
  }
  return [
    ...(proofs === null ? [] : [new StatePruning({ chain, environment, states, blocks: proofs, ...sinks })]),
    ...(history === null ? [] : [new ValuePruning({ chain, values: states, blocks: history, ...sinks })]),
  ]
}
