import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { PendingNotice } from '../../filters/events.ts'
import { isAutomatic } from '../../mining/blockProducer.ts'
import { serveBackfillStore } from '../../sync/backfill/backfillLink.ts'
import { createSyncLink, type SyncLink } from '../../sync/link/serveSyncLink.ts'
import { serveSnapshotStore } from '../../sync/snapshot/serveSnapshotStore.ts'
import { asBuffer } from '../../util/bytes.ts'
import { serveChainLink } from '../../workers/chainLink.ts'
import { NodeError, toNodeError } from '../errors.ts'
import { ChainCore } from './chainCore.ts'
import { createChainService } from './chainService.ts'
import type { BlockMark, ChainThreadMessage, ChainThreadOrder, ChainThreadSetup } from './messages.ts'
import { packPending } from './pendingMessage.ts'
import { createSyncService } from './syncService.ts'

/** Pending transactions that the front thread is not told of yet. */
let pending: PendingNotice[] = []

/** The link to the peer thread; null on a node that never had one. */
let peers: SyncLink | null = null

/** Entry of the chain thread: the only writer of the process. */
run(workerData as ChainThreadSetup)

function run({ options }: ChainThreadSetup): void {
  const core = openCore(options)
  if (core === null) return
  const service = createChainService(core)
  parentPort?.on('message', (order: ChainThreadOrder) => {
    switch (order.kind) {
      case 'start':
        core.start()
        return
      case 'serve':
        serveChainLink(order.port, service)
        return
      case 'servePeers':
        servePeers(core, order.port)
        return
      case 'endRequests':
        core.endRequests()
        return
      case 'close':
        void core.close().then(
          () => {
            tell({ kind: 'closed' })
            parentPort?.close()
          },
          // Ends the thread, and with it the process, with this error.
          (error: unknown) => queueMicrotask(() => fail(error)),
        )
    }
  })
  const { number, hash, fields } = core.open.chain.head
  tell({
    kind: 'ready',
    head: { number, hash },
    timestamp: Number(fields.timestamp),
    coinbase: core.coinbase,
    restored: core.restored,
    ...poolStats(core),
  })
}

function openCore(options: ChainThreadSetup['options']): ChainCore | null {
  try {
    const core: ChainCore = new ChainCore(options, {
      onHead: ({ retracted, enacted }, stats) =>
        tell({
          kind: 'head',
          retracted: retracted.map(mark),
          enacted: enacted.map(mark),
          ...poolStats(core),
          stats,
        }),
      onPending: notePending,
      onMode: (mode) => tell({ kind: 'mining', on: isAutomatic(mode) }),
      onStore: (fault) => tell({ kind: 'store', fault: fault?.message ?? null }),
      onBroken: (error) => tell({ kind: 'broken', error: error.toObject() }),
      onWork: (work) => tell({ kind: 'work', work }),
      onSubmission: (result, age) => tell({ kind: 'submission', result, age }),
      onFailure: (error) => tell({ kind: 'fault', text: describe(error) }),
    })
    return core
  } catch (thrown) {
    const error = toNodeError(thrown, options.dataDir)
    if (!(error instanceof NodeError)) throw error
    tell({ kind: 'failed', error: error.toObject() })
    parentPort?.close()
    return null
  }
}

/** Another port takes the place of that of a peer thread that is gone. */
function servePeers(core: ChainCore, port: MessagePort): void {
  if (peers === null) {
    const link = createSyncLink(createSyncService(core))
    core.open.chain.onHead(({ enacted }) => link.tipChanged(enacted))
    peers = link
  }
  peers.serve(port)
  serveSnapshotStore(port, core.fetchedSnapshot)
  serveBackfillStore(port, core.filledBlocks)
}

/** Those of one turn go in one message, and before whatever happens next. */
function notePending(notices: readonly PendingNotice[]): void {
  peers?.transactionsAdded(notices.map(({ encoded }) => encoded))
  if (pending.length === 0) queueMicrotask(tellPending)
  pending.push(...notices)
}

function tellPending(): void {
  if (pending.length === 0) return
  const packed = packPending(pending)
  pending = []
  post({ kind: 'pending', packed }, [packed.buffer])
}

function poolStats({ pool }: ChainCore): { readonly pending: number; readonly queued: number } {
  return { pending: pool.pendingCount, queued: pool.queuedCount }
}

function tell(message: ChainThreadMessage): void {
  tellPending()
  post(message)
}

function post(message: ChainThreadMessage, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

function mark({ number, hash }: BlockMark): BlockMark {
  return { number, hash: asBuffer(hash) }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function fail(error: unknown): never {
  throw error
}
