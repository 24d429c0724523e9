import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Execution } from '../../execution/localExecution.ts'
import type { TransactionTracer } from '../../execution/transactionTracer.ts'
import type { EncodedObjectCache } from '../../native/encodedObjectCache.ts'
import type { StateStore } from '../../native/stateStore.ts'
import { NoPeers } from '../../p2p/noPeers.ts'
import type { PeerAdmin } from '../../p2p/peerAdmin.ts'
import type { ChainEnvironment } from '../../storage/chainEnvironment.ts'
import type { Wallet } from '../../wallet/interface.ts'
import type { Interrupt, NodeCommands, NodeContext, NodeInfo, NodeStatus, PoolReader } from '../context.ts'
import type { BelowFork } from '../fork/belowFork.ts'
import { ImpersonatedAccounts } from './impersonatedAccounts.ts'
import { createStateReader } from './stateReader.ts'
import { StoredChain } from './storedChain.ts'

/** The parts of a context. Each thread makes its own over the stores that all share. */
export interface NodeContextParts {
  readonly spec: NetworkSpec
  readonly node: NodeInfo
  readonly environment: ChainEnvironment
  readonly stateStore: StateStore
  readonly encodedObjects: EncodedObjectCache
  /** Made with what says whether states may have been edited. */
  readonly execution: (mayBeEdited: () => boolean) => Execution
  readonly tracing: TransactionTracer
  readonly interrupt: Interrupt
  /** Pool and writer, which live in the chain thread. */
  readonly pool: PoolReader
  readonly commands: NodeCommands
  /** Given in the front thread only. */
  readonly wallet?: Wallet | null
  /** Given where the chain is a fork. */
  readonly belowFork?: BelowFork
  /** Given in the front thread of a node that has peers. */
  readonly peers?: PeerAdmin
  status(): NodeStatus
}

/** The context of the real node. */
export function createNodeContext(parts: NodeContextParts): NodeContext {
  const { spec, environment, stateStore } = parts
  const chain = new StoredChain(spec, environment)
  const mayBeEdited = () => chain.mayHaveEditedStates
  return {
    node: parts.node,
    interrupt: parts.interrupt,
    status: () => parts.status(),
    chain,
    encodedObjects: parts.encodedObjects,
    state: createStateReader(spec, stateStore, chain, mayBeEdited),
    execution: parts.execution(mayBeEdited),
    tracing: parts.tracing,
    pool: parts.pool,
    commands: parts.commands,
    peers: parts.peers ?? new NoPeers(),
    impersonated: new ImpersonatedAccounts(),
    wallet: parts.wallet ?? null,
    ...(parts.belowFork === undefined ? {} : { belowFork: parts.belowFork }),
    knowHeader: (header) => chain.knowHeader(header),
    refresh: () => chain.refresh(),
    release: () => chain.release(),
  }
}
