import type { MessagePort } from 'node:worker_threads'
import { packBlocks } from '../../chain/import/messages.ts'
import { asBuffer } from '../../util/bytes.ts'
import type { ResultOf, SnapshotCall, SnapshotNotice, SnapshotStep } from './snapshotMessages.ts'
import type { SnapshotPosition, SnapshotStore, WantedBlock } from './snapshotStore.ts'

/** The chain thread failed to execute a call for a snapshot. */
export class SnapshotLinkError extends Error {
  override readonly name = 'SnapshotLinkError'
  readonly code = 'SNAPSHOT_LINK'
}

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: SnapshotLinkError) => void
}

/** The snapshot store behind a port that the chain thread serves (`serveSnapshotStore`). */
export function linkSnapshotStore(port: MessagePort): SnapshotStore {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let isClosed = false
  const ask = <T>(work: SnapshotStep, transfer: readonly ArrayBuffer[] = []): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (isClosed) throw new SnapshotLinkError('the chain thread has ended')
      lastId += 1
      waiting.set(lastId, { resolve, reject })
      port.postMessage({ call: 'snapshot', id: lastId, work } satisfies SnapshotCall, transfer)
    })
  port.on('message', (notice: SnapshotNotice) => {
    if (notice.kind !== 'snapshot' && notice.kind !== 'snapshotFailed') return
    const found = waiting.get(notice.id)
    waiting.delete(notice.id)
    if (notice.kind === 'snapshot') found?.resolve(notice.value as never)
    else found?.reject(new SnapshotLinkError(notice.reason))
  })
  port.on('close', () => {
    isClosed = true
    for (const { reject } of waiting.values()) reject(new SnapshotLinkError('the chain thread has ended'))
    waiting.clear()
  })
  return {
    position: () => ask<SnapshotPosition>({ step: 'position' }).then(withBuffers),
    saveHeaders: (record) => ask({ step: 'saveHeaders', record: Uint8Array.from(record) }),
    setTarget: (target) => ask<SnapshotPosition>({ step: 'setTarget', target }).then(withBuffers),
    // A copy, because a message transfers the whole memory of a view.
    takeChunk: (chunk) => ask<ResultOf<'takeChunk'>>({ step: 'takeChunk', chunk: Uint8Array.from(chunk) }),
    takeBlocks: async (blocks) => {
      const packed = packBlocks(blocks)
      const transfer = [packed.rlp.buffer, packed.senders.buffer, packed.table.buffer]
      return wantedWithBuffer(await ask<WantedBlock | null>({ step: 'takeBlocks', blocks: packed }, transfer))
    },
    adopt: () => ask({ step: 'adopt' }),
    discard: () => ask({ step: 'discard' }),
  }
}

function withBuffers({ headers, target, nextChunk, nextBlock }: SnapshotPosition): SnapshotPosition {
  return {
    headers: headers && asBuffer(headers),
    target: target && { ...target, hash: asBuffer(target.hash), stateRoot: asBuffer(target.stateRoot) },
    nextChunk,
    nextBlock: wantedWithBuffer(nextBlock),
  }
}

function wantedWithBuffer(wanted: WantedBlock | null): WantedBlock | null {
  return wanted && { ...wanted, hash: asBuffer(wanted.hash) }
}
