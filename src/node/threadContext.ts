import { chosenNetwork, type NetworkChoice } from '../config/networks/configured.ts'
import { storeFolders } from '../execution/chainFolders.ts'
import { createLocalExecution } from '../execution/localExecution.ts'
import { createTransactionTracer } from '../execution/transactionTracer.ts'
import type { UpstreamSetup } from '../fork/forkBase.ts'
import { createNativeChainSpec } from '../native/chainSpec.ts'
import { EncodedObjectCache } from '../native/encodedObjectCache.ts'
import { StateStore } from '../native/stateStore.ts'
import type { StoreOptions } from '../native/types.ts'
import type { PeerAdmin } from '../p2p/peerAdmin.ts'
import type { Interrupt, NodeContext, NodeInfo, NodeStatus } from '../rpc/context.ts'
import { BelowFork } from '../rpc/fork/belowFork.ts'
import { createNodeContext } from '../rpc/node/nodeContext.ts'
import { ChainEnvironment } from '../storage/chainEnvironment.ts'
import { asBuffer } from '../util/bytes.ts'
import type { Wallet } from '../wallet/interface.ts'
import { type ChainService, createPoolReader } from './chainThread/chainService.ts'

/** The options that a thread needs to answer requests: plain data, so that they can cross to another thread. */
export interface ThreadContextOptions extends NetworkChoice {
  readonly dataDir: string
  readonly storeOptions: StoreOptions
  /** Bytes of texts that all threads keep together. */
  readonly encodedObjectBytes: number
  readonly node: NodeInfo
  readonly status: ThreadStatus
  /** The network of a fork; absent where the chain is none. */
  readonly upstream?: UpstreamSetup
}

/** The status of the node as it crosses threads: byte arrays lose their Buffer methods. */
export type ThreadStatus = Omit<NodeStatus, 'coinbase'> & { readonly coinbase: Uint8Array | null }

/** A context over stores that it has open. */
export interface ThreadContext {
  /** Serves no miners: the front thread adds that. */
  readonly context: NodeContext
  readonly stateStore: StateStore
  readonly environment: ChainEnvironment
  close(): Promise<void>
}

/**
 * Opens the stores for reading; the chain thread must have opened them before.
 * @param chain the chain thread's. What it did is committed before it answers, and each batch begins with a new snapshot:
 *   a thread that gets no events reads nothing that is older than an answer
 * @param front what only the front thread has
 */
export function openThreadContext(
  options: ThreadContextOptions,
  interrupt: Interrupt,
  chain: ChainService,
  {
    isPoolEmpty,
    ...front
  }: {
    readonly wallet?: Wallet | null
    readonly peers?: PeerAdmin
    readonly isPoolEmpty?: () => boolean
  } = {},
): ThreadContext {
  const spec = chosenNetwork(options)
  const nativeSpec = createNativeChainSpec(spec)
  const [stateFolder, chainFolder] = storeFolders(options.dataDir)
  const stateStore = StateStore.open(stateFolder, options.storeOptions)
  const environment = new ChainEnvironment(chainFolder, { readOnly: true })
  const { coinbase } = options.status
  const status: NodeStatus = { ...options.status, coinbase: coinbase === null ? null : asBuffer(coinbase) }
  const context = createNodeContext({
    spec,
    node: options.node,
    environment,
    stateStore,
    encodedObjects: EncodedObjectCache.open(options.dataDir, options.encodedObjectBytes),
    execution: (mayBeEdited) =>
      createLocalExecution({ spec, nativeSpec, store: stateStore, interrupt, mayBeEdited }),
    tracing: createTransactionTracer({
      spec,
      nativeSpec,
      store: stateStore,
      interrupt,
      maxBytes: options.node.settings.answerBytes,
    }),
    interrupt,
    pool: createPoolReader(chain, spec, isPoolEmpty),
    commands: { sendTransaction: chain.sendTransaction, mine: chain.mine, dev: chain, mining: null },
    ...front,
    ...(options.upstream === undefined ? {} : { belowFork: new BelowFork(options.upstream, options) }),
    status: () => status,
  })
  return {
    context,
    stateStore,
    environment,
    close: () => environment.close(),
  }
}
