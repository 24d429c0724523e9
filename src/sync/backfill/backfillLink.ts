import type { MessagePort } from 'node:worker_threads'
import { type PackedBlocks, packBlocks, unpackBlocks } from '../../chain/import/messages.ts'
import type { BackfillStore } from './backfillStore.ts'

/** Request of the peer thread, on the port that also carries blocks and transactions. */
export interface BackfillCall {
  readonly call: 'backfill'
  readonly id: number
  readonly blocks: PackedBlocks
}

/** The response: null, or why the blocks were rejected. */
interface BackfillNotice {
  readonly kind: 'backfilled'
  readonly id: number
  readonly reason: string | null
}

/** The chain thread rejected blocks. */
export class BackfillLinkError extends Error {
  override readonly name = 'BackfillLinkError'
  readonly code = 'BACKFILL_LINK'
}

const ENDED = 'the chain thread has ended'

/** The store behind a port that the chain thread serves (`serveBackfillStore`). */
export function linkBackfillStore(port: MessagePort): BackfillStore {
  const waiting = new Map<number, (reason: string | null) => void>()
  let lastId = 0
  let isClosed = false
  port.on('message', (notice: BackfillNotice | { readonly kind: string }) => {
    if (!isNotice(notice)) return
    waiting.get(notice.id)?.(notice.reason)
    waiting.delete(notice.id)
  })
  port.on('close', () => {
    isClosed = true
    for (const end of waiting.values()) end(ENDED)
    waiting.clear()
  })
  return {
    takeBlocks: (blocks) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw new BackfillLinkError(ENDED)
        lastId += 1
        waiting.set(lastId, (reason) => {
          if (reason === null) resolve()
          else reject(new BackfillLinkError(reason))
        })
        const packed = packBlocks(blocks)
        port.postMessage({ call: 'backfill', id: lastId, blocks: packed } satisfies BackfillCall, [
          packed.rlp.buffer,
          packed.senders.buffer,
          packed.table.buffer,
        ])
      }),
  }
}

/** Serves the calls that arrive on a port, in their order. Other messages are ignored. */
export function serveBackfillStore(port: MessagePort, store: BackfillStore): void {
  let last: Promise<void> = Promise.resolve()
  port.on('message', (message: BackfillCall | { readonly call: string }) => {
    if (!isCall(message)) return
    const { id, blocks } = message
    last = last.then(async () => {
      const reason = await store.takeBlocks(unpackBlocks(blocks)).then(() => null, reasonOf)
      port.postMessage({ kind: 'backfilled', id, reason } satisfies BackfillNotice)
    })
  })
}

function isCall(message: BackfillCall | { readonly call: string }): message is BackfillCall {
  return message.call === 'backfill'
}

function isNotice(notice: BackfillNotice | { readonly kind: string }): notice is BackfillNotice {
  return notice.kind === 'backfilled'
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
