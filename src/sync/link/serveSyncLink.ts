import type { MessagePort } from 'node:worker_threads'
import { type ReadBlock, unpackBlocks } from '../../chain/import/messages.ts'
import { asBuffer } from '../../util/bytes.ts'
import type { BlockOutcome, ChainTip, TransactionOutcome } from '../syncChain.ts'
import type { SyncCall, SyncNotice, TipMessage } from './messages.ts'

/** What the chain thread does for the peer thread. */
export interface SyncService {
  readonly tip: ChainTip
  /** As `SyncChain.connect`; one call at a time. */
  connect(blocks: readonly ReadBlock[]): Promise<readonly BlockOutcome[]>
  addTransactions(encoded: readonly Buffer[]): Promise<readonly TransactionOutcome[]>
}

/** Tells the peer thread what happened. */
export interface SyncNews {
  tipChanged(enacted: readonly { readonly number: number; readonly hash: Buffer }[]): void
  transactionsAdded(encoded: readonly Buffer[]): void
}

/** Answers the calls that come through a port, in their order. To be called in the chain thread. */
export function serveSyncLink(port: MessagePort, service: SyncService): SyncNews {
  const tell = (notice: SyncNotice) => port.postMessage(notice)
  // Blocks of two calls must not be mixed, and transactions that come behind blocks are judged on top of them.
  let last: Promise<void> = Promise.resolve()
  port.on('message', (call: SyncCall) => {
    last = last.then(() => answer(service, call)).then(tell)
  })
  const tellTip = (enacted: readonly { readonly number: number; readonly hash: Buffer }[]) =>
    tell({
      kind: 'tip',
      tip: toMessage(service.tip),
      enacted: enacted.map(({ number, hash }) => ({ number, hash: copyOf(hash) })),
    })
  tellTip([])
  return {
    tipChanged: tellTip,
    transactionsAdded: (encoded) => tell({ kind: 'transactions', encoded: encoded.map(copyOf) }),
  }
}

async function answer(service: SyncService, call: SyncCall): Promise<SyncNotice> {
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

function toMessage({ number, hash, parentHash, totalDifficulty }: ChainTip): TipMessage {
  return { number, hash: copyOf(hash), parentHash: copyOf(parentHash), totalDifficulty }
}

/** A message carries the whole memory that a view is of: for a hash in a header that of all blocks it came with. */
function copyOf(bytes: Buffer): Uint8Array {
  return Uint8Array.from(bytes)
}
