import { parentPort, workerData } from 'node:worker_threads'
import { BlockSourceError } from './blockSource.ts'
import type { ReaderInput, ReaderMessage } from './messages.ts'
import { readBatches } from './readBatches.ts'

/**
 * Reads a file of blocks ahead of the thread that connects them. Sends a batch for every message it gets.
 */
async function readFile(input: ReaderInput): Promise<void> {
  for await (const event of readBatches(input)) {
    if (event.kind === 'opened') {
      send(event)
      continue
    }
    await permission()
    send(event, [event.rlp.buffer, event.senders.buffer, event.table.buffer])
  }
  send({ kind: 'end' })
}

let permissions = 0
let resume: (() => void) | undefined

async function permission(): Promise<void> {
  while (permissions === 0) {
    await new Promise<void>((resolve) => {
      resume = resolve
    })
  }
  permissions -= 1
}

function send(message: ReaderMessage, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

function failureOf(error: unknown): ReaderMessage {
  const position = error instanceof BlockSourceError ? error.position : 0
  return { kind: 'failed', position, message: error instanceof Error ? error.message : String(error) }
}

parentPort?.on('message', () => {
  permissions += 1
  resume?.()
})

readFile(workerData as ReaderInput)
  .catch((error: unknown) => send(failureOf(error)))
  .finally(() => parentPort?.close())
