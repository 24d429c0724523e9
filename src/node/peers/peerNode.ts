import { isDevelopmentNetwork } from '../../config/networkSpec.ts'
import type { NetworkChoice } from '../../config/networks/configured.ts'
import type { Logger } from '../../observe/logger.ts'
import { resolveHost } from '../../p2p/discovery/bootstrapNodes.ts'
import { openUdp } from '../../p2p/discovery/datagrams.ts'
import { Discovery } from '../../p2p/discovery/discovery.ts'
import type { PeerMessage } from '../../p2p/messages/rskMessage.ts'
import type { Peer, PeerListener, PeerSet } from '../../p2p/peer.ts'
import { createPeerLimits } from '../../p2p/peers/limits.ts'
import { PeerNetwork } from '../../p2p/peers/peerNetwork.ts'
import type { PeerAddress } from '../../p2p/peers/ports.ts'
import { createRlpxTransport } from '../../p2p/peers/rlpxTransport.ts'
import { PeerReputation } from '../../p2p/scoring/peerReputation.ts'
import type { NodeKey } from '../../p2p/wire/curve.ts'
import { Backfill } from '../../sync/backfill/backfill.ts'
import type { BackfillStore } from '../../sync/backfill/backfillStore.ts'
import type { SyncLimits } from '../../sync/client/limits.ts'
import { SyncClient } from '../../sync/client/syncClient.ts'
import type { BackfillStats, SyncStats } from '../../sync/client/syncStats.ts'
import type { Halt } from '../../sync/halt/halt.ts'
import { HaltBoard } from '../../sync/halt/haltBoard.ts'
import { announcedStatus } from '../../sync/relay/announcedStatus.ts'
import { watchConnects } from '../../sync/relay/blockRelay.ts'
import { Relay } from '../../sync/relay/relay.ts'
import { isRequest, RequestServer, type RequestServerOptions } from '../../sync/serve/requestServer.ts'
import type { SnapshotLimits } from '../../sync/snapshot/limits.ts'
import type { SnapshotStore } from '../../sync/snapshot/snapshotStore.ts'
import { SnapshotSync } from '../../sync/snapshot/snapshotSync.ts'
import type { BlockRefusal, SyncChain } from '../../sync/syncChain.ts'
import { SyncStart } from '../../sync/syncStart.ts'
import { asBuffer, fromHex } from '../../util/bytes.ts'
import { createSteadyClock } from '../../util/steadyClock.ts'
import { parseSubnet, type Subnet } from '../../util/subnet.ts'
import type { PeerOptions } from '../options/peerOptions.ts'
import type { PeerReport } from './messages.ts'
import { watchClock } from './watchClock.ts'

const NODE_ID = /^[0-9a-f]{128}$/i

/** The parts that a {@link PeerNode} stands on. */
export interface PeerNodeParts {
  readonly options: Omit<PeerOptions, keyof NetworkChoice | 'storeOptions' | 'log'>
  readonly key: NodeKey
  readonly chain: SyncChain
  /** Store in which a snapshot of peers is put together; without it the chain is executed from genesis. */
  readonly snapshots?: SnapshotStore
  /** In place of those of snapshots. */
  readonly snapshotLimits?: Partial<SnapshotLimits>
  /** Store of blocks below a snapshot; without it they are not fetched. */
  readonly filled?: BackfillStore
  /** States that are given to nodes that synchronise by snapshot; null for none. */
  readonly states: RequestServerOptions['states']
  /** Those of the configuration, with addresses in place of names. */
  readonly statics: readonly PeerAddress[]
  readonly log: Logger
  /** IP address that connections go out from; without it the system chooses. */
  readonly localAddress?: string
  /** Milliseconds since 1970, in place of those of the machine. */
  readonly wallClock?: () => number
  /** In place of those of synchronisation. */
  readonly limits?: Partial<SyncLimits>
  /** The chain cannot go on, for another reason than before, or goes on again (null). */
  onHalt(halt: Halt | null): void
}

/** Peers and synchronisation: all that the peer thread runs. */
export interface PeerNode {
  readonly network: PeerNetwork
  readonly reputation: PeerReputation
  /** TCP and UDP port; 0 while it does not listen. */
  readonly port: number
  report(): PeerReport
  /** Stops synchronisation for good: a block of the own chain turned out to be wrong. */
  stopAt(refusal: BlockRefusal): void
  /** Ends connections and synchronisation; what was given to the chain is awaited. */
  close(): Promise<void>
}

/** Opens the ports and begins. @throws Error of a port that cannot be had */
export async function openPeerNode(parts: PeerNodeParts): Promise<PeerNode> {
  const { options, key, chain, log, statics } = parts
  const clock = createSteadyClock()
  const { p2p, genesis } = chain.spec
  const reputation = new PeerReputation({ clock, wallClock: Date.now, punishes: true, bannedNodes: [] })
  let discovery: Discovery | null = null
  let network: PeerNetwork | null = null
  const peers: PeerSet = {
    get peers() {
      return network?.peers ?? []
    },
  }
  const halts = new HaltBoard((halt) => parts.onHalt(halt))
  let sync: SyncClient | null = null
  const relay = new Relay({
    chain,
    peers,
    isFarBehind: () => sync?.hasBetterBlockToSync ?? true,
    logger: log.child({ part: 'relay' }),
  })
  const client = new SyncClient({
    // What is fetched was not mined here.
    chain: watchConnects(chain, (hash) => relay.blocks.recordForeign(hash)),
    peers,
    checkpoints: options.checkpoints.map(({ number, hash }) => ({ number, hash: asBuffer(hash) })),
    limits: { enoughPeers: options.expectedPeers, ...parts.limits },
    logger: log.child({ part: 'sync' }),
    isStatic: ({ id }) => network?.isStatic(id) ?? false,
    onForgiven: (forgiven) => {
      for (const { id, address } of forgiven) {
        reputation.clearScore(id)
        reputation.clearScore(address)
      }
    },
    onHalt: (halt) => halts.set('chain', halt),
  })
  sync = client
  const store = parts.snapshots ?? null
  const snapshot =
    store === null || options.syncMode === 'full'
      ? null
      : new SnapshotSync({
          chain,
          store,
          peers,
          checkpoints: options.checkpoints.map(({ number, hash }) => ({ number, hash: asBuffer(hash) })),
          choice: { enoughPeers: options.expectedPeers, ...parts.limits },
          ...(parts.snapshotLimits === undefined ? {} : { limits: parts.snapshotLimits }),
          logger: log.child({ part: 'sync' }),
          isStatic: ({ id }) => network?.isStatic(id) ?? false,
          onHalt: (halt) => halts.set('snapshot', halt),
        })
  const start = new SyncStart({
    client,
    snapshot,
    store,
    log: log.child({ part: 'sync' }),
    onHalt: (halt) => halts.set('start', halt),
  })
  const backfill =
    parts.filled === undefined || !options.backfill
      ? null
      : new Backfill({
          chain,
          store: parts.filled,
          peers,
          logger: log.child({ part: 'backfill' }),
          isFollowing: () => !start.isBeginning && start.stats.stage === 'following',
          onHalt: (halt) => halts.set('backfill', halt),
        })
  const server = new RequestServer({
    chain,
    states: parts.states,
    isFarBehind: () => client.hasBetterBlockToSync,
    logger: log.child({ part: 'serve' }),
    onGiven: (peer, hash) => relay.blocks.record(peer, hash),
  })
  network = await PeerNetwork.open({
    ownId: key.id.toString('hex'),
    chain: {
      networkId: p2p.networkId,
      // That of the store: other activation heights make another genesis.
      genesisHash: chain.reader.hashByNumber(0) ?? fromHex(genesis.hash),
      status: () => announcedStatus(chain),
    },
    transport: createRlpxTransport({
      key,
      client: options.client,
      snap: options.snapshotServer,
      ...(parts.localAddress === undefined ? {} : { localAddress: parts.localAddress }),
      clock,
    }),
    judge: reputation,
    candidates: { candidates: () => discovery?.candidates() ?? [] },
    listen: options.listens ? { host: options.host, port: options.port } : null,
    limits: { ...createPeerLimits(options.maxPeers), totalBytes: options.memoryBytes },
    statics,
    trusted: trustedOf(options.trusted),
    listener: listenerOf(client, start, backfill, server, relay),
    log: log.child({ part: 'peers' }),
  })
  const port = network.port ?? 0
  // Who takes no connections looks for others all the same.
  const udpPort = network.port ?? options.port
  const opened = network
  try {
    if (options.discovery) {
      discovery = await Discovery.start({
        key,
        networkId: p2p.networkId,
        bootstrap: p2p.bootstrap,
        dataDir: options.dataDir,
        host: options.address ?? options.host,
        exemptsLocal: isDevelopmentNetwork(chain.spec),
        open: (listener) => openUdp(options.host, udpPort, log, listener),
        resolve: resolveHost,
        clock,
        refusesAddress: (address) => reputation.refusesAddress(address),
        refusesNode: (id) => reputation.refusesNode(id),
        logger: log.child({ part: 'discovery' }),
      })
    }
  } catch (error) {
    await opened.close()
    throw error
  }
  // On a development chain users move the time.
  const clockWatch = isDevelopmentNetwork(chain.spec)
    ? null
    : watchClock({
        chain,
        peers,
        log: log.child({ part: 'clock' }),
        now: parts.wallClock ?? Date.now,
        isSyncing: () => client.stats.syncing,
        has: (peer, hash) => relay.blocks.has(peer, hash),
        isForeign: (hash) => relay.blocks.isForeign(hash),
      })
  start.start()
  backfill?.start()
  relay.start()
  return {
    network: opened,
    reputation,
    port,
    stopAt: (refusal) => client.stopAt(refusal),
    report: () => ({
      network: opened.stats(),
      sync: withBackfill(start.stats, backfill?.stats ?? null),
      knownNodes: discovery?.stats().nodes ?? null,
      halted: halts.halt,
      clockBehind: clockWatch?.watch.behind ?? null,
      clockAhead: clockWatch?.watch.ahead ?? null,
    }),
    close: async () => {
      clockWatch?.end()
      await Promise.all([discovery?.close(), opened.close()])
      relay.close()
      server.close()
      await backfill?.close()
      await start.close()
      await client.close()
    },
  }
}

function withBackfill(sync: SyncStats, backfill: BackfillStats | null): SyncStats {
  return backfill === null ? sync : { ...sync, backfill }
}

function listenerOf(
  sync: SyncClient,
  start: SyncStart,
  backfill: Backfill | null,
  server: RequestServer,
  relay: Relay,
): PeerListener {
  return {
    onPeer: (peer) => {
      start.onPeer()
      backfill?.onPeer()
      sync.onPeer(peer)
      relay.onPeer(peer)
    },
    onPeerGone: (peer) => {
      start.onPeerGone(peer)
      backfill?.onPeerGone(peer)
      sync.onPeerGone(peer)
      relay.onPeerGone(peer)
      server.onPeerGone(peer)
    },
    onMessage: async (peer: Peer, message: PeerMessage) => {
      if (isRequest(message)) return server.onRequest(peer, message)
      if (start.isBeginning) return start.onPeer()
      await relay.onMessage(peer, message)
      return sync.onMessage(peer, message)
    },
  }
}

function trustedOf(entries: readonly string[]): { ids: string[]; subnets: Subnet[] } {
  return {
    ids: entries.filter((entry) => NODE_ID.test(entry)).map((id) => id.toLowerCase()),
    subnets: entries.map(parseSubnet).filter((subnet) => subnet !== null),
  }
}
