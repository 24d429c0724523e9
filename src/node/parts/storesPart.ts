import type { Config } from '../../config/schema.ts'
import { forkSpec, type UpstreamSetup } from '../../fork/forkBase.ts'
import type { Wallet } from '../../wallet/interface.ts'
import type { ResolvedFork } from '../fork/resolveFork.ts'
import { nodeInfoFromConfig } from '../nodeInfo.ts'
import { textBytesFromConfig } from '../options/storeOptions.ts'
import type { PeerHandle } from '../peers/peerHandle.ts'
import { openThreadContext, type ThreadContext, type ThreadContextOptions } from '../threadContext.ts'
import type { ChainPart, NodeScope } from './nodeScope.ts'

/** The options by which each thread that answers requests opens the stores. */
export function threadOptions(
  { config, version, fork }: NodeScope,
  { handle, options }: ChainPart,
): ThreadContextOptions {
  const { network, activationHeights, transactionGas, dataDir, storeOptions } = options
  return {
    network,
    activationHeights,
    ...(transactionGas === undefined ? {} : { transactionGas }),
    ...(fork === null ? {} : { fork: forkSpec(fork.base), upstream: upstreamSetup(fork, config) }),
    dataDir,
    storeOptions,
    encodedObjectBytes: textBytesFromConfig(config),
    node: nodeInfoFromConfig(config, version),
    status: {
      // Whoever asks does so where the node listens.
      listening: true,
      peers: [],
      syncing: null,
      coinbase: handle.choices.coinbase,
      mining: config.mining,
    },
  }
}

/**
 * Opens the stores for the front thread, which reads them.
 * @param wallet null where the node signs with no account
 * @param peers null for a node without peers
 */
export function openStores(
  { parts, reach, fork }: NodeScope,
  options: ThreadContextOptions,
  { handle }: ChainPart,
  wallet: Wallet | null,
  peers: PeerHandle | null,
): Promise<ThreadContext> {
  // Nothing stops what runs in this thread: it is short.
  const interrupt = { flags: new Int32Array(1), slot: 0 }
  const admin = peers === null ? {} : { peers: peers.admin }
  return parts.open(
    {
      open: () => {
        const front = openThreadContext(options, interrupt, handle.service, {
          ...{ wallet, isPoolEmpty: handle.isPoolEmpty },
          ...admin,
        })
        // Sockets go on while the network of a fork is asked.
        if (fork !== null) front.stateStore.mayWaitForFork(false)
        return front
      },
      close: (front) => front.close(),
    },
    reach.stores,
  )
}

function upstreamSetup({ base, addresses, stats }: ResolvedFork, { forkTimeout }: Config): UpstreamSetup {
  return { base, addresses: addresses.buffer, stats: stats.buffer, patience: forkTimeout * 1000 }
}

/** An account at the head; null where there is none. */
export function accountOf({ context, stateStore }: ThreadContext, address: Buffer) {
  const { refresh, release, state, chain, belowFork } = context
  refresh()
  // Whoever calls this is no request.
  if (belowFork !== undefined) stateStore.mayWaitForFork(true)
  try {
    return state.at(chain.head()).account(address)
  } finally {
    if (belowFork !== undefined) stateStore.mayWaitForFork(false)
    release()
  }
}
