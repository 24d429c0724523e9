import { createReadStream, readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { compressionOf, compressionOfFile, decompress } from '../../src/chain/import/decompress.ts'
import { readLines } from '../../src/chain/import/lines.ts'
import { ZstdStream } from '../../src/native/zstdStream.ts'

/** Bytes read from a file at a time. */
const CHUNK_BYTES = 1 << 16

/** What may follow the name of a data file that is compressed. */
export const COMPRESSED_ENDING = /\.(zst|gz|br)$/

/**
 * The lines of a JSON-lines file, plain or compressed, as values, one after the other: no more than a line is held.
 * @throws SyntaxError that names file and line for a line that is no JSON
 * @throws DecompressionError for a damaged file
 */
export async function* streamJsonLines(path: string): AsyncGenerator<unknown, void, void> {
  for await (const { text, number } of streamLines(path)) yield parseLine(text, path, number)
}

/**
 * The lines of a file that are not empty, plain or compressed, and their numbers from 1.
 * @throws DecompressionError for a damaged file
 */
export async function* streamLines(
  path: string,
): AsyncGenerator<{ readonly text: string; readonly number: number }, void, void> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  yield* readLines(decompress(file, await compressionOfFile(path)))
}

/** All lines of a JSON-lines file, plain or compressed, as values. */
export function readJsonLines(path: string): unknown[] {
  return readText(path)
    .split('\n')
    .flatMap((line, index) => (line === '' ? [] : [parseLine(line, path, index + 1)]))
}

/** The text of a file, plain or compressed. */
export function readText(path: string): string {
  const bytes = readFileSync(path)
  switch (compressionOf(path, bytes)) {
    case 'zstd':
      return unpackWhole(bytes).toString('utf8')
    case 'gzip':
      return gunzipSync(bytes).toString('utf8')
    case 'brotli':
      return brotliDecompressSync(bytes).toString('utf8')
    case null:
      return bytes.toString('utf8')
  }
}

function unpackWhole(bytes: Buffer): Buffer {
  const stream = new ZstdStream()
  const contents = Buffer.concat([...stream.decode(bytes)])
  if (!stream.isWhole) throw new RangeError('the file ends within a frame')
  return contents
}

/** All values of a stream. */
export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const value of values) collected.push(value)
  return collected
}

function parseLine(text: string, path: string, number: number): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new SyntaxError(`${path}:${number} is no JSON`, { cause: error })
  }
}
