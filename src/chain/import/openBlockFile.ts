import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type BlockSource, BlockSourceError } from './blockSource.ts'
import { compressionOfFile, DecompressionError, decompress } from './decompress.ts'
import { readJsonLines } from './jsonLines.ts'
import { readReferenceExport } from './referenceExport.ts'
import { readRlpFile } from './rlpFile.ts'

/** Bytes read from the file at a time: large enough for most blocks' whole lines. */
const CHUNK_BYTES = 1 << 20
/** The same of a compressed file, whose contents are many times larger. */
const COMPRESSED_CHUNK_BYTES = 1 << 16
const OPENING_BRACE = 0x7b
const MIN_LIST_BYTE = 0xc0

/** Formats of a file of blocks. */
export type BlockFileFormat = 'json-lines' | 'rlp' | 'reference-export'

/** An opened file of blocks. */
export interface BlockFile {
  readonly format: BlockFileFormat
  readonly bytes: number
  readonly blocks: BlockSource
}

/**
 * Opens a file of blocks, plain or compressed (zstd, gzip, or Brotli under a name that ends in `.br`). The first byte
 * of the contents tells the format: a brace for JSON lines, a list for RLP blocks, a digit for an export of the
 * reference node.
 * @throws BlockSourceError for anything else
 */
export async function openBlockFile(path: string): Promise<BlockFile> {
  const { size } = await stat(path)
  const compression = await compressionOfFile(path)
  const file = createReadStream(path, {
    highWaterMark: compression === null ? CHUNK_BYTES : COMPRESSED_CHUNK_BYTES,
  })
  const chunks = decompress(file, compression)[Symbol.asyncIterator]()
  try {
    const first = await nextChunk(chunks)
    const format = formatOf(path, first)
    const blocks = READERS[format](joined(first, chunks))
    return { format, bytes: size, blocks: compression === null ? blocks : withOffsets(blocks, file) }
  } catch (error) {
    file.destroy()
    throw error
  }
}

const READERS: Readonly<Record<BlockFileFormat, (chunks: AsyncIterable<Buffer>) => BlockSource>> = {
  'json-lines': readJsonLines,
  rlp: readRlpFile,
  'reference-export': readReferenceExport,
}

function formatOf(path: string, chunk: Buffer | null): BlockFileFormat {
  const first = chunk?.[0]
  if (first === undefined) throw new BlockSourceError(1, `${path} is empty`)
  if (first === OPENING_BRACE) return 'json-lines'
  if (first >= MIN_LIST_BYTE) return 'rlp'
  if (first >= 0x30 && first <= 0x39) return 'reference-export'
  throw new BlockSourceError(
    1,
    `${path} holds neither recorded lines, RLP blocks nor an export of the reference node`,
  )
}

/** The next chunk that has bytes; null at the end. */
async function nextChunk(chunks: AsyncIterator<Buffer>): Promise<Buffer | null> {
  try {
    for (;;) {
      const next = await chunks.next()
      if (next.done === true) return null
      if (next.value.length > 0) return next.value
    }
  } catch (error) {
    if (!(error instanceof DecompressionError)) throw error
    throw new BlockSourceError(0, error.message, { cause: error })
  }
}

async function* joined(
  first: Buffer | null,
  chunks: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, void> {
  try {
    for (let chunk = first; chunk !== null; chunk = await nextChunk(chunks)) yield chunk
  } finally {
    await chunks.return?.()
  }
}

/** Blocks with the bytes that were read of the compressed file so far in place of those of its contents. */
async function* withOffsets(blocks: BlockSource, file: { readonly bytesRead: number }): BlockSource {
  for await (const block of blocks) yield { ...block, offset: file.bytesRead }
}
