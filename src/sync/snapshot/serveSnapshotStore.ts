import type { MessagePort } from 'node:worker_threads'
import { unpackBlocks } from '../../chain/import/messages.ts'
import { asBuffer } from '../../util/bytes.ts'
import type { SnapshotCall, SnapshotNotice, SnapshotStep } from './snapshotMessages.ts'
import type { SnapshotStore } from './snapshotStore.ts'

/**
 * Serves the calls for a snapshot store that arrive on a port, in their order. Other messages are ignored.
 */
export function serveSnapshotStore(port: MessagePort, store: SnapshotStore): void {
  let last: Promise<void> = Promise.resolve()
  port.on('message', (message: SnapshotCall | { readonly call: string }) => {
    if (!isSnapshotCall(message)) return
    last = last.then(() => answer(store, message)).then((notice) => port.postMessage(notice))
  })
}

function isSnapshotCall(message: SnapshotCall | { readonly call: string }): message is SnapshotCall {
  return message.call === 'snapshot'
}

async function answer(store: SnapshotStore, { id, work }: SnapshotCall): Promise<SnapshotNotice> {
  try {
    return { kind: 'snapshot', id, value: await run(store, work) }
  } catch (error) {
    return { kind: 'snapshotFailed', id, reason: error instanceof Error ? error.message : String(error) }
  }
}

function run(store: SnapshotStore, work: SnapshotStep): Promise<unknown> {
  switch (work.step) {
    case 'position':
    case 'adopt':
    case 'discard':
      return store[work.step]()
    case 'saveHeaders':
      return store.saveHeaders(asBuffer(work.record))
    case 'setTarget': {
      const { hash, stateRoot } = work.target
      return store.setTarget({ ...work.target, hash: asBuffer(hash), stateRoot: asBuffer(stateRoot) })
    }
    case 'takeChunk':
      return store.takeChunk(asBuffer(work.chunk))
    case 'takeBlocks':
      return store.takeBlocks(unpackBlocks(work.blocks))
  }
}
