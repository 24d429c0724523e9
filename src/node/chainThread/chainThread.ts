import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { FleetAnnouncer, FleetChainEvent, FleetChainService } from '../../fleet/interface.ts'
import { isAutomatic } from '../../mining/blockProducer.ts'
import { EncodedObjectCache } from '../../native/encodedObjectCache.ts'
import { serveBackfillStore } from '../../sync/backfill/backfillLink.ts'
import { createSyncLink, type SyncLink } from '../../sync/link/serveSyncLink.ts'
import { serveSnapshotStore } from '../../sync/snapshot/serveSnapshotStore.ts'
import type { EncodedTransaction } from '../../txpool/encodedTransaction.ts'
import { NodeError, toNodeError, toStoreError } from '../errors.ts'
import { createProxy, serve } from '../proxy/proxy.ts'
import { ChainCore } from './chainCore.ts'
import type { ChainListener } from './chainListener.ts'
import type { ChainService } from './chainService.ts'
import { type ChainSharing, NODE_ALONE } from './chainSharing.ts'
import { createChainService } from './chainThreadService.ts'
import { FleetChain } from './fleetChain.ts'
import { createFleetService } from './fleetService.ts'
import { writeHeadLogs, writeHeadReceipts } from './headLogs.ts'
import type {
  ChainEvent,
  ChainThreadMessage,
  ChainThreadOrder,
  ChainThreadSetup,
  PoolStats,
} from './messages.ts'
import { packPending } from './pendingMessage.ts'
import { createSyncService } from './syncService.ts'

/** Pending transactions that were not sent to the front thread yet. */
let pending: EncodedTransaction[] = []

/** The link to the peer thread; null on a node that never had one. */
let peers: SyncLink | null = null

/** Sends an event to the front thread, in order among the answers. There are none before the chain is open. */
let sendEvent: (event: ChainEvent) => void = () => undefined

/** Entry of the chain thread: the only writer of the process. */
run(workerData as ChainThreadSetup)

function run({ options, front }: ChainThreadSetup): void {
  const fleet = options.fleet === null ? null : new FleetChain(options.fleet.sendWait)
  const core = openCore(options, fleet ?? NODE_ALONE)
  if (core === null) return
  const service = createChainService(core)
  sendEvent = serve<ChainService, ChainEvent>(front, service)
  parentPort?.on('message', (order: ChainThreadOrder) => {
    switch (order.kind) {
      case 'start':
        core.start()
        return
      case 'serve':
        serve(order.port, service)
        return
      case 'servePeers':
        servePeers(core, order.port)
        return
      case 'serveFleet':
        serveFleet(core, fleet, order.port)
        return
      case 'endRequests':
        core.endRequests()
        return
      case 'close':
        void core.close().then(
          () => {
            post({ kind: 'closed' })
            parentPort?.close()
          },
          // Ends the thread, and with it the process, with this error.
          (error: unknown) => queueMicrotask(() => fail(error)),
        )
    }
  })
  const { number, fields } = core.open.chain.head
  post({
    kind: 'ready',
    head: number,
    timestamp: Number(fields.timestamp),
    coinbase: core.coinbase,
    priceTarget: core.priceTarget,
    restored: core.restored,
    pool: poolStats(core),
  })
}

function openCore(options: ChainThreadSetup['options'], sharing: ChainSharing): ChainCore | null {
  try {
    const texts = EncodedObjectCache.open(options.dataDir, options.encodedObjectBytes)
    const listener: ChainListener = {
      onExecuted: (height) => report({ kind: 'executed', height }),
      onHead: (notice, stats) => {
        const { chain } = core.open
        writeHeadLogs(chain, texts, notice.enacted)
        if (core.producer.mode.instant) writeHeadReceipts(chain, texts, notice.enacted)
        report({ kind: 'head', notice, pool: poolStats(core), stats })
      },
      onPending: queuePending,
      onChange: () => report({ kind: 'changed', coinbase: core.coinbase, priceTarget: core.priceTarget }),
      onMode: (mode) => report({ kind: 'mining', on: isAutomatic(mode) }),
      onStore: (fault) => report({ kind: 'store', fault: fault?.message ?? null }),
      onPruned: (pruned) => report({ kind: 'pruned', ...pruned }),
      onBroken: (error) => post({ kind: 'broken', error: error.toObject() }),
      onWork: (work) => report({ kind: 'work', work }),
      onSubmission: (result, age) => report({ kind: 'submission', result, age }),
      onFailure: (error) => {
        const broken = toStoreError(error, options.dataDir)
        if (broken?.isDamage === true) post({ kind: 'broken', error: broken.toObject() })
        else report({ kind: 'fault', text: describe(error) })
      },
    }
    const core: ChainCore = new ChainCore(options, listener, undefined, sharing)
    return core
  } catch (thrown) {
    const error = toNodeError(thrown, options.dataDir)
    if (!(error instanceof NodeError)) throw error
    post({ kind: 'failed', error: error.toObject() })
    parentPort?.close()
    return null
  }
}

/** Another port replaces that of a peer thread that is gone. */
function servePeers(core: ChainCore, port: MessagePort): void {
  if (peers === null) {
    const link = createSyncLink(createSyncService(core))
    core.open.chain.onHead(({ enacted }) => link.tipChanged(enacted))
    core.sharing.onExecuted((blocks) => link.tipChanged(blocks))
    peers = link
  }
  peers.serve(port)
  serveSnapshotStore(port, core.fetchedSnapshot)
  serveBackfillStore(port, core.filledBlocks)
}

/** @throws Error on a node that belongs to no fleet */
function serveFleet(core: ChainCore, fleet: FleetChain | null, port: MessagePort): void {
  if (fleet === null) throw new Error('this node belongs to no fleet')
  const sendToFleet = serve<FleetChainService, FleetChainEvent>(port, createFleetService(core, fleet))
  port.on('close', fleet.attach(createProxy<FleetAnnouncer>(port), sendToFleet))
}

/**
 * Those of one tick go in one event, before whatever happens next: an answer to a call that brought one is sent in a
 * later microtask than this.
 */
function queuePending(added: readonly EncodedTransaction[]): void {
  peers?.transactionsAdded(added.map(({ encoded }) => encoded))
  if (pending.length === 0) queueMicrotask(sendPending)
  pending.push(...added)
}

function sendPending(): void {
  if (pending.length === 0) return
  const packed = packPending(pending)
  pending = []
  sendEvent({ kind: 'pending', packed })
}

function report(event: ChainEvent): void {
  sendPending()
  sendEvent(event)
}

function poolStats({ pool }: ChainCore): PoolStats {
  return { pending: pool.pendingCount, queued: pool.queuedCount }
}

function post(message: ChainThreadMessage): void {
  parentPort?.postMessage(message)
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function fail(error: unknown): never {
  throw error
}
