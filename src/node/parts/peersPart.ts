import type { Config } from '../../config/schema.ts'
import { EnodeError } from '../../p2p/identity/enode.ts'
import { NodeError } from '../errors.ts'
import { type PeerOptions, peerOptionsFromConfig } from '../options/peerOptions.ts'
import type { PeerReport } from '../peers/messages.ts'
import { type PeerHandle, startPeerThread } from '../peers/peerHandle.ts'
import { syncProgress } from '../peers/peerStatus.ts'
import type { ChainPart, NodeScope } from './nodeScope.ts'

/** The module of the peer thread, and where its reports go. */
export interface PeersPartOptions {
  /** Module that the thread begins with. */
  readonly entry: URL
  /** Called once a second with how peers and synchronisation are. */
  readonly onReport: ((report: PeerReport) => void) | undefined
}

/**
 * Starts the peer thread; null for a node without peers.
 * @throws NodeError `PEERS`, and when the port is taken or the node key cannot be used
 */
export async function openPeers(
  scope: NodeScope,
  chain: ChainPart,
  { entry, onReport }: PeersPartOptions,
): Promise<PeerHandle | null> {
  const { config, version, log, metrics, parts, reach } = scope
  const options = peerOptions(config, `Rhizome-${version}`)
  if (options === null) return null
  let isSyncing = false
  const peers = await parts.open({
    open: () =>
      startPeerThread({
        entry,
        options,
        log,
        connect: () => chain.handle.connectPeers(),
        onReport: (report) => {
          const progress = syncProgress(report)
          if (isSyncing !== (progress !== null)) reach.service.now?.syncingChanged(progress)
          isSyncing = progress !== null
          onReport?.(report)
        },
      }),
    close: (peers) => peers.close(),
  })
  metrics.watchPeers({
    report: () => peers.report,
    status: () => peers.status,
    busySeconds: () => peers.busySeconds(),
  })
  log.info({ enode: peers.enode }, 'peers can connect')
  return peers
}

/** @throws NodeError `PEERS` */
function peerOptions(config: Config, client: string): PeerOptions | null {
  try {
    return peerOptionsFromConfig(config, client)
  } catch (error) {
    if (error instanceof EnodeError) throw new NodeError('PEERS', error.message, { cause: error })
    throw error
  }
}
