import { parentPort, workerData } from 'node:worker_threads'
import type { Block } from '../codec/block.ts'
import { parseBlockUnchecked } from '../codec/block.ts'
import { BlockSourceError, type RawBlock } from './blockSource.ts'
import { packBlocks, type ReaderInput, type ReaderMessage } from './messages.ts'
import { openBlockFile } from './openBlockFile.ts'
import { packSenders, recoverSendersOfBlocks } from './senders.ts'

/**
 * Reads a file of blocks ahead of the thread that connects them, and recovers the senders. Sends a batch
 * for every message it gets.
 */
async function readFile(input: ReaderInput): Promise<void> {
  const file = await openBlockFile(input.path)
  send({ kind: 'opened', bytes: file.bytes, format: file.format })
  let batch: RawBlock[] = []
  for await (const block of file.blocks) {
    batch.push(block)
    if (batch.length < input.batchBlocks) continue
    await permission()
    sendBatch(input, batch)
    batch = []
  }
  if (batch.length > 0) {
    await permission()
    sendBatch(input, batch)
  }
  send({ kind: 'end' })
}

function sendBatch(input: ReaderInput, raw: readonly RawBlock[]): void {
  const parsed = raw.map(({ rlp }) => parseOrNull(input, rlp))
  const wanted = parsed.filter((block): block is Block => block !== null && block.number > input.knownHeight)
  recoverSendersOfBlocks(wanted)
  const packed = packBlocks(
    raw.map(({ rlp, position }, index) => {
      const block = parsed[index]
      const recovered = block !== null && block !== undefined && block.number > input.knownHeight
      return { rlp, position, senders: recovered ? packSenders(block) : null }
    }),
  )
  send({ kind: 'blocks', ...packed, offset: raw.at(-1)?.offset ?? 0 }, [
    packed.rlp.buffer,
    packed.senders.buffer,
    packed.table.buffer,
  ])
}

/** A block that does not parse is sent on: the thread that connects says what is wrong with it. */
function parseOrNull(input: ReaderInput, rlp: Buffer): Block | null {
  try {
    return parseBlockUnchecked(input.spec, rlp)
  } catch {
    return null
  }
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
