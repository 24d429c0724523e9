import { chosenNetwork } from '../config/networks/configured.ts'
import { createLocalExecution } from '../execution/localExecution.ts'
import { createTransactionTracer } from '../execution/transactionTracer.ts'
import { isAutomatic } from '../mining/blockProducer.ts'
import { EncodedObjectCache } from '../native/encodedObjectCache.ts'
import type { Interrupt, NodeContext, NodeInfo } from '../rpc/context.ts'
import { createNodeContext } from '../rpc/node/nodeContext.ts'
import { ChainCore } from './chainThread/chainCore.ts'
import type { ChainListener } from './chainThread/chainListener.ts'
import { createPoolReader } from './chainThread/chainService.ts'
import type { ChainSharing } from './chainThread/chainSharing.ts'
import { createChainService } from './chainThread/chainThreadService.ts'
import { createFrontMining, type FrontMining } from './frontMining.ts'
import type { ChainOptions } from './options/chainOptions.ts'

/** Texts that a node in one thread keeps: 4 MiB. */
const TEXT_BYTES = 4 * 1024 * 1024

/** The options of a node in one thread. */
export interface LocalNodeOptions {
  readonly chain: ChainOptions
  readonly node: NodeInfo
  readonly listener?: Partial<ChainListener>
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Rule by which what happens may be shown; at once unless given. */
  readonly sharing?: ChainSharing
}

/** A node without threads and sockets, for tests and tools. */
export interface LocalNode {
  readonly core: ChainCore
  readonly context: NodeContext
  close(): Promise<void>
}

/**
 * Opens a data directory and answers in the calling thread. Work that fails while nobody waits for it is thrown
 * unless a listener takes it.
 * @throws as {@link ChainCore}
 */
export function createLocalNode({ chain, node, listener = {}, now, sharing }: LocalNodeOptions): LocalNode {
  let mining: FrontMining | null = null
  const core = new ChainCore(
    chain,
    {
      onExecuted: (height) => listener.onExecuted?.(height),
      onHead: (notice, head) => {
        mining?.headChanged(notice)
        listener.onHead?.(notice, head)
      },
      onPending: (transactions) => listener.onPending?.(transactions),
      onUnreadable: (hash, reason) => listener.onUnreadable?.(hash, reason),
      onChange: () => {
        mining?.settingsChanged()
        listener.onChange?.()
      },
      onMode: (mode) => listener.onMode?.(mode),
      onStore: (fault) => listener.onStore?.(fault),
      onPruned: (pruned) => listener.onPruned?.(pruned),
      onBroken: (error) => {
        if (listener.onBroken === undefined) throw error
        listener.onBroken(error)
      },
      onWork: (work) => {
        mining?.workBuilt(work)
        listener.onWork?.(work)
      },
      onSubmission: (result, age) => listener.onSubmission?.(result, age),
      onFailure: (error) => {
        if (listener.onFailure === undefined) throw error
        listener.onFailure(error)
      },
    },
    now,
    sharing,
  )
  const { environment, nativeSpec, stateStore } = core.open
  const spec = chosenNetwork(chain)
  const service = createChainService(core)
  const { work } = chain.production
  if (work !== null) mining = createFrontMining(service, work.refreshTime, now ?? Date.now)
  const interrupt: Interrupt = { flags: new Int32Array(1), slot: 0 }
  const context = createNodeContext({
    spec,
    node,
    environment,
    stateStore,
    encodedObjects: EncodedObjectCache.inMemory(TEXT_BYTES),
    execution: (mayBeEdited) =>
      createLocalExecution({ spec, nativeSpec, store: stateStore, interrupt, mayBeEdited }),
    tracing: createTransactionTracer({
      spec,
      nativeSpec,
      store: stateStore,
      interrupt,
      maxBytes: node.settings.answerBytes,
    }),
    interrupt,
    pool: createPoolReader(service, spec),
    commands: {
      sendTransaction: service.sendTransaction,
      mine: (request = {}, stop) => core.mine(request, () => stop?.aborted ?? false),
      dev: service,
      mining: mining?.commands ?? null,
    },
    status: () => ({
      listening: true,
      peers: [],
      syncing: null,
      coinbase: core.coinbase,
      priceTarget: core.priceTarget,
      mining: isAutomatic(core.producer.mode),
    }),
  })
  core.start()
  return { core, context, close: () => core.close() }
}
