import type { NodeContext } from '../../rpc/context.ts'
import type { Wallet } from '../../wallet/interface.ts'
import { nodeInfoFromConfig } from '../nodeInfo.ts'
import { textBytesFromConfig } from '../options/storeOptions.ts'
import type { PeerHandle } from '../peers/peerHandle.ts'
import { openThreadContext, type ThreadContext, type ThreadContextOptions } from '../threadContext.ts'
import type { ChainPart, NodeScope } from './nodeScope.ts'

/** The options by which each thread that answers requests opens the stores. */
export function threadOptions(
  { config, version }: NodeScope,
  { handle, options }: ChainPart,
): ThreadContextOptions {
  const { network, activationHeights, transactionGas, dataDir, storeOptions } = options
  return {
    network,
    activationHeights,
    ...(transactionGas === undefined ? {} : { transactionGas }),
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
  { parts, reach }: NodeScope,
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
      open: () =>
        openThreadContext(options, interrupt, handle.service, {
          ...{ wallet, isPoolEmpty: handle.isPoolEmpty },
          ...admin,
        }),
      close: (front) => front.close(),
    },
    reach.stores,
  )
}

/** An account at the head; null where there is none. */
export function accountOf({ refresh, release, state, chain }: NodeContext, address: Buffer) {
  refresh()
  try {
    return state.at(chain.head()).account(address)
  } finally {
    release()
  }
}
