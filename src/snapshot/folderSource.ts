import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, SnapshotError } from './errors.ts'
import { type ChunkEntry, chunkFile, MANIFEST_FILE, MAX_MANIFEST_BYTES } from './manifest.ts'
import { MAX_SIGNATURE_BYTES, SIGNATURES_FILE } from './signatureFile.ts'
import type { SnapshotSource } from './source.ts'

/** A snapshot in a folder. */
export class FolderSource implements SnapshotSource {
  readonly name: string

  constructor(folder: string) {
    this.name = folder
  }

  async manifest(): Promise<Buffer> {
    const bytes = await this.#read(MANIFEST_FILE, MAX_MANIFEST_BYTES)
    if (bytes !== null) return bytes
    throw new SnapshotError('SNAPSHOT_SOURCE', `${this.name} holds no snapshot: there is no ${MANIFEST_FILE}`)
  }

  signatures(): Promise<Buffer | null> {
    return this.#read(SIGNATURES_FILE, MAX_SIGNATURE_BYTES)
  }

  async chunk(entry: ChunkEntry): Promise<Buffer> {
    const bytes = await this.#read(chunkFile(entry), entry.packedSize)
    if (bytes !== null) return bytes
    throw new SnapshotError('SNAPSHOT_CHUNK', `chunk ${entry.hash} is missing`)
  }

  /** Reads at most one byte more than the limit of a file; null when there is none. */
  async #read(name: string, most: number): Promise<Buffer | null> {
    try {
      const file = await open(join(this.name, name))
      try {
        const buffer = Buffer.alloc(Math.min(most, (await file.stat()).size) + 1)
        let length = 0
        while (length < buffer.length) {
          const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
          if (bytesRead === 0) break
          length += bytesRead
        }
        return buffer.subarray(0, length)
      } finally {
        await file.close()
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw new SnapshotError('SNAPSHOT_SOURCE', `${join(this.name, name)}: ${messageOf(error)}`, {
        cause: error,
      })
    }
  }
}
