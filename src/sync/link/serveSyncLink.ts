import type { MessagePort } from 'node:worker_threads'
import { type ReadBlock, unpackBlocks } from '../../chain/import/messages.ts'
import { asBuffer } from '../../util/bytes.ts'
import type { BackfillCall } from '../backfill/backfillLink.ts'
import type { SnapshotCall } from '../snapshot/snapshotMessages.ts'
import type { BlockOutcome, ChainTip, TransactionOutcome } from '../syncChain.ts'
import { ChainEventQueue } from './chainEventQueue.ts'
import type { SyncCall, SyncLinkEvent } from './messages.ts'

/** Services of the chain thread for the peer thread. */
export interface SyncService {
  readonly tip: ChainTip
  /** Pending transactions, each after those that it depends on. */
  pending(): Iterable<Buffer>
  /** As `SyncChain.connect`; one call at a time. */
  connect(blocks: readonly ReadBlock[]): Promise<readonly BlockOutcome[]>
  addTransactions(encoded: readonly Buffer[]): Promise<readonly TransactionOutcome[]>
}

/** The chain thread's end of its link to the peer thread. */
export interface SyncLink {
  /**
   * Serves the calls of a port, in their order, and sends it events. A later port replaces the earlier one,
   * whose events are dropped and whose calls are executed first.
   */
  serve(port: MessagePort): void
  tipChanged(enacted: readonly { readonly number: number; readonly hash: Buffer }[]): void
  transactionsAdded(encoded: readonly Buffer[]): void
}

type Question = Exclude<SyncCall, { call: 'acknowledge' }>

/** Call it in the chain thread. */
export function createSyncLink(service: SyncService): SyncLink {
  const news = new ChainEventQueue(() => service.tip)
  // Blocks of two calls must not be mixed, and transactions after blocks are admitted on top of them.
  let last: Promise<void> = Promise.resolve()
  return {
    serve: (port) => {
      const send = (notice: SyncLinkEvent) => port.postMessage(notice)
      const reply = (notice: SyncLinkEvent) => {
        news.sendTip()
        send(notice)
      }
      port.on('message', (call: SyncCall | SnapshotCall | BackfillCall) => {
        if (call.call === 'snapshot' || call.call === 'backfill') return
        if (call.call === 'acknowledge') news.acknowledged(send)
        else last = last.then(() => answer(service, call)).then(reply)
      })
      port.on('close', () => news.detach(send))
      news.attach(send, service.pending())
    },
    tipChanged: (enacted) => news.tipChanged(enacted),
    transactionsAdded: (encoded) => news.transactionsAdded(encoded),
  }
}

async function answer(service: SyncService, call: Question): Promise<SyncLinkEvent> {
  const { id } = call
  try {
    if (call.call === 'connect') {
      return { kind: 'connected', id, outcomes: await service.connect(unpackBlocks(call.blocks)) }
    }
    return { kind: 'added', id, outcomes: await service.addTransactions(call.encoded.map(asBuffer)) }
  } catch (error) {
    return { kind: 'failed', id, reason: error instanceof Error ? error.message : String(error) }
  }
}
