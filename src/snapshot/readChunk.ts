import { unpackChunk } from '../native/snapshot.ts'
import { messageOf, SnapshotError } from './errors.ts'
import type { ChunkEntry } from './manifest.ts'
import type { SnapshotSource } from './source.ts'

/** A chunk whose contents match the manifest. */
export interface ReadChunk {
  readonly entry: ChunkEntry
  readonly contents: Buffer
}

/**
 * Reads chunks in order and checks the size and hash of each. The next one is fetched while the last is being
 * processed.
 * @throws SnapshotError that names the chunk
 */
export async function* readChunks(
  source: SnapshotSource,
  entries: readonly ChunkEntry[],
): AsyncGenerator<ReadChunk, void, void> {
  let next = entries[0] === undefined ? null : fetchAhead(source, entries[0])
  for (const [index, entry] of entries.entries()) {
    if (next === null) return
    const packed = await next()
    const following = entries[index + 1]
    next = following === undefined ? null : fetchAhead(source, following)
    yield { entry, contents: await unpack(entry, packed) }
  }
}

/** Starts a fetch; a rejection is kept for the awaiter. */
function fetchAhead(source: SnapshotSource, entry: ChunkEntry): () => Promise<Buffer> {
  const fetched = source.chunk(entry).then(
    (packed) => () => packed,
    (error: unknown) => () => {
      throw error
    },
  )
  return async () => (await fetched)()
}

async function unpack(entry: ChunkEntry, packed: Buffer): Promise<Buffer> {
  if (packed.length !== entry.packedSize) {
    const found = packed.length > entry.packedSize ? 'longer' : `${packed.length} bytes long`
    throw new SnapshotError(
      'SNAPSHOT_CHUNK',
      `chunk ${entry.hash} is ${found}, the manifest says ${entry.packedSize} bytes`,
    )
  }
  try {
    return await unpackChunk(packed, entry.size, Buffer.from(entry.hash, 'hex'))
  } catch (error) {
    throw new SnapshotError('SNAPSHOT_CHUNK', `chunk ${entry.hash} is damaged: ${messageOf(error)}`, {
      cause: error,
    })
  }
}
