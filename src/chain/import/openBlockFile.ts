import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { type BlockSource, BlockSourceError } from './blockSource.ts'
import { readJsonLines } from './jsonLines.ts'
import { readReferenceExport } from './referenceExport.ts'
import { readRlpFile } from './rlpFile.ts'

/** Bytes read from the file at a time: large enough for most blocks' whole lines. */
const CHUNK_BYTES = 1 << 20
const OPENING_BRACE = 0x7b
const SMALLEST_LIST = 0xc0

/** What a file of blocks can be. */
export type BlockFileFormat = 'json-lines' | 'rlp' | 'reference-export'

/** A file of blocks that is ready to be read. */
export interface BlockFile {
  readonly format: BlockFileFormat
  readonly bytes: number
  readonly blocks: BlockSource
}

/**
 * Opens a file of blocks. Its first byte tells the format: a brace for JSON lines, a list for RLP blocks, a
 * digit for an export of the reference node.
 * @throws BlockSourceError for anything else
 */
export async function openBlockFile(path: string): Promise<BlockFile> {
  const { size } = await stat(path)
  const format = await detectFormat(path)
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  return { format, bytes: size, blocks: READERS[format](chunks) }
}

const READERS: Readonly<Record<BlockFileFormat, (chunks: AsyncIterable<Buffer>) => BlockSource>> = {
  'json-lines': readJsonLines,
  rlp: readRlpFile,
  'reference-export': readReferenceExport,
}

async function detectFormat(path: string): Promise<BlockFileFormat> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, 0)
    const [first] = buffer
    if (bytesRead === 0 || first === undefined) throw new BlockSourceError(1, `${path} is empty`)
    if (first === OPENING_BRACE) return 'json-lines'
    if (first >= SMALLEST_LIST) return 'rlp'
    if (first >= 0x30 && first <= 0x39) return 'reference-export'
    throw new BlockSourceError(
      1,
      `${path} holds neither recorded lines, RLP blocks nor an export of the reference node`,
    )
  } finally {
    await file.close()
  }
}
