import type { MessagePort } from 'node:worker_threads'
import type { FleetAnnouncer, FleetChainEvent, FleetChainService } from '../../fleet/interface.ts'
import { isAutomatic } from '../../mining/blockProducer.ts'
import { EncodedObjectCache } from '../../native/encodedObjectCache.ts'
import { serveBackfillStore } from '../../sync/backfill/backfillLink.ts'
import { createSyncLink, type SyncLink } from '../../sync/link/serveSyncLink.ts'
import { serveSnapshotStore } from '../../sync/snapshot/serveSnapshotStore.ts'
import type { EncodedTransaction } from '../../txpool/encodedTransaction.ts'
import { type NodeError, toNodeError, toStoreError } from '../errors.ts'
import type { ChainOptions } from '../options/chainOptions.ts'
import { createProxy, serve } from '../proxy/proxy.ts'
import { ChainCore } from './chainCore.ts'
import type { ChainListener } from './chainListener.ts'
import type { ChainService } from './chainService.ts'
import { type ChainSharing, NODE_ALONE } from './chainSharing.ts'
import { createChainService } from './chainThreadService.ts'
import { FleetChain } from './fleetChain.ts'
import { createFleetService } from './fleetService.ts'
import { writeHeadLogs, writeHeadReceipts } from './headLogs.ts'
import type { ChainEvent, ChainThreadMessage, PoolStats } from './messages.ts'
import { createSyncService } from './syncService.ts'

/** Receivers of what happens to a chain, in its order. */
export interface ChainHostListener {
  onEvent(event: Exclude<ChainEvent, { kind: 'pending' }>): void
  /** Those of one tick come in one call. */
  onPending(transactions: readonly EncodedTransaction[]): void
  /** A store is of no use any more: the process has to end. */
  onBroken(error: NodeError): void
}

/** The chain with its services for other threads, in whichever thread has it: the only writer of the process. */
export class ChainHost {
  readonly core: ChainCore
  readonly service: ChainService
  readonly #listener: ChainHostListener
  readonly #fleet: FleetChain | null
  /** Pending transactions that were not reported yet. */
  #pending: EncodedTransaction[] = []
  /** The link to the peer thread; null on a node that never had one. */
  #peers: SyncLink | null = null

  /** @throws NodeError when the data directory cannot be used */
  constructor(options: ChainOptions, listener: ChainHostListener) {
    this.#listener = listener
    this.#fleet = options.fleet === null ? null : new FleetChain(options.fleet.sendWait)
    try {
      this.core = this.#open(options, this.#fleet ?? NODE_ALONE)
    } catch (thrown) {
      throw toNodeError(thrown, options.dataDir)
    }
    this.service = createChainService(this.core)
  }

  /** The chain as it is when it was opened. */
  get opened(): Omit<Extract<ChainThreadMessage, { kind: 'ready' }>, 'kind'> {
    const { core } = this
    const { number, fields } = core.open.chain.head
    return {
      head: number,
      timestamp: Number(fields.timestamp),
      coinbase: core.coinbase,
      priceTarget: core.priceTarget,
      restored: core.restored,
      pool: this.#poolStats(),
    }
  }

  /** Serves the calls of another thread. */
  serve(port: MessagePort): void {
    serve(port, this.service)
  }

  /** Serves the peer thread (`sync/link`). Another port replaces that of a peer thread that is gone. */
  servePeers(port: MessagePort): void {
    const { core } = this
    if (this.#peers === null) {
      const link = createSyncLink(createSyncService(core))
      core.open.chain.onHead(({ enacted }) => link.tipChanged(enacted))
      core.sharing.onExecuted((blocks) => link.tipChanged(blocks))
      this.#peers = link
    }
    this.#peers.serve(port)
    serveSnapshotStore(port, core.fetchedSnapshot)
    serveBackfillStore(port, core.filledBlocks)
  }

  /** Serves the fleet thread (`fleet/interface.ts`). @throws Error on a node that belongs to no fleet */
  serveFleet(port: MessagePort): void {
    const fleet = this.#fleet
    if (fleet === null) throw new Error('this node belongs to no fleet')
    const sendToFleet = serve<FleetChainService, FleetChainEvent>(port, createFleetService(this.core, fleet))
    port.on('close', fleet.attach(createProxy<FleetAnnouncer>(port), sendToFleet))
  }

  #open(options: ChainOptions, sharing: ChainSharing): ChainCore {
    const texts = EncodedObjectCache.open(options.dataDir, options.encodedObjectBytes)
    const report = (event: Parameters<ChainHostListener['onEvent']>[0]) => this.#report(event)
    const listener: ChainListener = {
      onExecuted: (height) => report({ kind: 'executed', height }),
      onHead: (notice, stats) => {
        const { chain } = core.open
        writeHeadLogs(chain, texts, notice.enacted)
        if (core.producer.mode.instant) writeHeadReceipts(chain, texts, notice.enacted)
        report({ kind: 'head', notice, pool: this.#poolStats(), stats })
      },
      onPending: (added) => this.#queuePending(added),
      onUnreadable: (hash, reason) => report({ kind: 'unreadable', hash: `0x${hash}`, reason }),
      onChange: () => report({ kind: 'changed', coinbase: core.coinbase, priceTarget: core.priceTarget }),
      onMode: (mode) => report({ kind: 'mining', on: isAutomatic(mode) }),
      onStore: (fault) => report({ kind: 'store', fault: fault?.message ?? null }),
      onPruned: (pruned) => report({ kind: 'pruned', ...pruned }),
      onBroken: (error) => this.#listener.onBroken(error),
      onWork: (work) => report({ kind: 'work', work }),
      onSubmission: (result, age) => report({ kind: 'submission', result, age }),
      onFailure: (error) => {
        const broken = toStoreError(error, options.dataDir)
        if (broken?.isDamage === true) this.#listener.onBroken(broken)
        else report({ kind: 'fault', text: describe(error) })
      },
    }
    const core: ChainCore = new ChainCore(options, listener, undefined, sharing)
    return core
  }

  /**
   * Those of one tick go in one event, before whatever happens next: an answer to a call that brought one is sent in a
   * later microtask than this.
   */
  #queuePending(added: readonly EncodedTransaction[]): void {
    this.#peers?.transactionsAdded(added.map(({ encoded }) => encoded))
    if (this.#pending.length === 0) queueMicrotask(() => this.#sendPending())
    this.#pending.push(...added)
  }

  #sendPending(): void {
    if (this.#pending.length === 0) return
    const added = this.#pending
    this.#pending = []
    this.#listener.onPending(added)
  }

  #report(event: Parameters<ChainHostListener['onEvent']>[0]): void {
    this.#sendPending()
    this.#listener.onEvent(event)
  }

  #poolStats(): PoolStats {
    const { pool } = this.core
    return { pending: pool.pendingCount, queued: pool.queuedCount }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
