import { open } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { ZstdStream } from '../../native/zstdStream.ts'

/** Compression of a file. */
export type Compression = 'zstd' | 'gzip' | 'brotli'

/** Compressed bytes that are damaged or truncated. */
export class DecompressionError extends Error {
  readonly code = 'DECOMPRESSION'
  override readonly name = 'DecompressionError'
}

/** First bytes of zstd frames (RFC 8878, 3.1.1) and gzip members (RFC 1952, 2.3.1). Brotli has none. */
const MAGIC: readonly (readonly [Compression, Buffer])[] = [
  ['zstd', Buffer.from('28b52ffd', 'hex')],
  ['gzip', Buffer.from('1f8b', 'hex')],
]
const MAX_MAGIC_BYTES = 4
const BROTLI_NAME = /\.br$/

/**
 * The compression of a file; null for a plain one. zstd and gzip are recognised by the first bytes, Brotli by
 * the name.
 * @param name path or name of the file
 * @param head the first bytes of the file, four or more where it has them
 */
export function compressionOf(name: string, head: Uint8Array): Compression | null {
  for (const [compression, magic] of MAGIC) {
    if (magic.equals(head.subarray(0, magic.length))) return compression
  }
  return BROTLI_NAME.test(name) ? 'brotli' : null
}

/** The compression of a file on disk; null for a plain one. */
export async function compressionOfFile(path: string): Promise<Compression | null> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_MAGIC_BYTES), 0, MAX_MAGIC_BYTES, 0)
    return compressionOf(path, buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/**
 * Decompresses a stream, chunk by chunk.
 * @throws DecompressionError when the bytes are damaged or end too early; errors of the stream pass through
 */
export function decompress(
  chunks: AsyncIterable<Buffer>,
  compression: Compression | null,
): AsyncIterable<Buffer> {
  if (compression === null) return chunks
  return compression === 'zstd' ? unpackZstd(chunks) : unpackZlib(chunks, compression)
}

async function* unpackZstd(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  const stream = new ZstdStream()
  for await (const chunk of chunks) {
    const pieces = stream.decode(chunk)
    for (;;) {
      const piece = nextPiece(pieces)
      if (piece === null) break
      yield piece
    }
  }
  if (!stream.isWhole) throw new DecompressionError('cannot be decompressed: it ends within a frame')
}

function nextPiece(pieces: Iterator<Buffer>): Buffer | null {
  try {
    const { done, value } = pieces.next()
    return done === true ? null : value
  } catch (error) {
    throw failure(error)
  }
}

async function* unpackZlib(
  chunks: AsyncIterable<Buffer>,
  compression: 'gzip' | 'brotli',
): AsyncGenerator<Buffer, void, void> {
  const decoder = compression === 'gzip' ? createGunzip() : createBrotliDecompress()
  // The iterator of the decoder throws what the pipeline reports.
  pipeline(Readable.from(chunks), decoder, () => {})
  try {
    yield* decoder
  } catch (error) {
    throw isSystemError(error) ? error : failure(error)
  }
}

function failure(cause: unknown): DecompressionError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new DecompressionError(`cannot be decompressed: ${reason}`, { cause })
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
