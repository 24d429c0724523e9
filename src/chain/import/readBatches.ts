import type { Block } from '../codec/block.ts'
import { parseBlockUnchecked } from '../codec/block.ts'
import type { RawBlock } from './blockSource.ts'
import { packBlocks, type ReaderEvent, type ReaderInput } from './messages.ts'
import { openBlockFile } from './openBlockFile.ts'
import { packSenders, recoverSendersOfBlocks } from './senders.ts'

/**
 * Reads a file of blocks in batches and recovers the senders of a batch in one parallel call.
 * @throws BlockSourceError
 */
export async function* readBatches(input: ReaderInput): AsyncGenerator<ReaderEvent, void, void> {
  const file = await openBlockFile(input.path)
  yield { kind: 'opened', bytes: file.bytes, format: file.format }
  let batch: RawBlock[] = []
  for await (const block of file.blocks) {
    batch.push(block)
    if (batch.length < input.batchBlocks) continue
    yield packBatch(input, batch)
    batch = []
  }
  if (batch.length > 0) yield packBatch(input, batch)
}

function packBatch(input: ReaderInput, raw: readonly RawBlock[]): ReaderEvent {
  const parsed = raw.map(({ rlp }) => parseOrNull(input, rlp))
  recoverSendersOfBlocks(parsed.filter((block) => block !== null))
  const packed = packBlocks(
    raw.map(({ rlp, position }, index) => {
      const block = parsed[index] ?? null
      return { rlp, position, senders: block === null ? null : packSenders(block) }
    }),
  )
  return { kind: 'blocks', ...packed, offset: raw.at(-1)?.offset ?? 0 }
}

/**
 * A block whose senders are to be recovered. A malformed one is passed on unchanged: whoever connects it
 * reports the error.
 */
function parseOrNull(input: ReaderInput, rlp: Buffer): Block | null {
  try {
    const block = parseBlockUnchecked(input.spec, rlp)
    return block.number > input.knownHeight ? block : null
  } catch {
    return null
  }
}
