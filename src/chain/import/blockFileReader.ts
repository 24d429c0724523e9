import { Worker } from 'node:worker_threads'
import { workerEntry } from '../../util/entry.ts'
import { BlockSourceError } from './blockSource.ts'
import { NEXT_BATCH, type ReaderInput, type ReaderMessage } from './messages.ts'

/** Batches that the reading thread works ahead: it must never be waited for, and memory is bounded. */
const BATCHES_AHEAD = 4

/** Batches of a file, read and recovered by a thread of its own while the caller works. */
export async function* readBlockFile(
  input: ReaderInput,
): AsyncGenerator<Exclude<ReaderMessage, { kind: 'failed' | 'end' }>, void, void> {
  const worker = new Worker(workerEntry('./readerThread.ts', import.meta.url), { workerData: input })
  const queue: ReaderMessage[] = []
  let wake: (() => void) | undefined
  const arrived = (message: ReaderMessage) => {
    queue.push(message)
    wake?.()
  }
  worker.on('message', arrived)
  worker.on('error', (error) => arrived({ kind: 'failed', position: 0, message: error.message }))
  for (let index = 0; index < BATCHES_AHEAD; index += 1) worker.postMessage(NEXT_BATCH)
  try {
    for (;;) {
      const message = queue.shift()
      if (message === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      } else if (message.kind === 'failed') {
        throw new BlockSourceError(message.position, message.message)
      } else if (message.kind === 'end') {
        return
      } else {
        if (message.kind === 'blocks') worker.postMessage(NEXT_BATCH)
        yield message
      }
    }
  } finally {
    await worker.terminate()
  }
}
