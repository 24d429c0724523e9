import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { workerEntry, workerOptions } from '../../util/entry.ts'
import { BlockSourceError } from './blockSource.ts'
import { NEXT_BATCH, type ReaderEvent, type ReaderInput, type ReaderMessage } from './messages.ts'
import { readBatches } from './readBatches.ts'

/** Batches that the reader thread works ahead, enough that it is never waited for, and bounded for memory. */
const BATCHES_AHEAD = 4

/**
 * File size from which a reader thread is used, bytes. Starting a thread takes about 30 ms, in which about as
 * much is read and its senders are recovered without one.
 */
const THREAD_FROM_BYTES = 512 * 1024

/** Batches of a file. A large one is read by a thread of its own while the caller works. */
export async function* readBlockFile(input: ReaderInput): AsyncGenerator<ReaderEvent, void, void> {
  const { size } = await stat(input.path)
  yield* size < THREAD_FROM_BYTES ? readBatches(input) : readInThread(input)
}

async function* readInThread(input: ReaderInput): AsyncGenerator<ReaderEvent, void, void> {
  const worker = new Worker(workerEntry('./readerThread.ts', import.meta.url), {
    workerData: input,
    ...workerOptions(import.meta.url),
  })
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
