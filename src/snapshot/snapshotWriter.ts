import { open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { packChunk } from '../native/snapshot.ts'
import { makeFolder } from '../util/makeFolder.ts'
import { messageOf, SnapshotError } from './errors.ts'
import { type ChunkEntry, type ChunkKind, chunkFile, MANIFEST_FILE } from './manifest.ts'

const CHUNK_FILE = /^[0-9a-f]{64}\.zst$/

/** Writes the files of a snapshot; the manifest is written last, so that a folder with one is complete. */
export class SnapshotWriter {
  readonly #folder: string
  readonly #chunks: ChunkEntry[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Chunks so far, in their order. */
  get chunks(): readonly ChunkEntry[] {
    return this.#chunks
  }

  /**
   * Creates the folder. One with an unfinished snapshot is reused.
   * @throws SnapshotError `SNAPSHOT_TARGET` when it holds anything else
   */
  async begin(): Promise<void> {
    await this.#run(async () => makeFolder(this.#folder))
    const names = await this.#run(() => readdir(this.#folder))
    const other = names.find((name) => !CHUNK_FILE.test(name) && !name.endsWith('.tmp'))
    if (other === undefined) return
    const what = other === MANIFEST_FILE ? 'a snapshot' : other
    throw new SnapshotError('SNAPSHOT_TARGET', `${this.#folder} already holds ${what}: name an empty folder`)
  }

  /** Writes a chunk. */
  async add(
    kind: ChunkKind,
    contents: Buffer,
    { items, from, to }: Pick<ChunkEntry, 'items' | 'from' | 'to'>,
  ): Promise<void> {
    const { hash, packed } = await packChunk(contents)
    const entry: ChunkEntry = {
      kind,
      hash: hash.toString('hex'),
      size: contents.length,
      packedSize: packed.length,
      items,
      from,
      to,
    }
    await this.#write(chunkFile(entry), packed)
    this.#chunks.push(entry)
  }

  /** Writes the manifest and removes files of an earlier attempt. */
  async end(manifest: Buffer): Promise<void> {
    const used = new Set(this.#chunks.map(chunkFile))
    for (const name of await this.#run(() => readdir(this.#folder))) {
      if (!used.has(name)) await this.#run(() => rm(join(this.#folder, name)))
    }
    await this.#write(MANIFEST_FILE, manifest)
  }

  /** Atomic. */
  async #write(name: string, bytes: Buffer): Promise<void> {
    const path = join(this.#folder, name)
    await this.#run(async () => {
      const file = await open(`${path}.tmp`, 'w')
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${path}.tmp`, path)
    })
  }

  async #run<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action()
    } catch (error) {
      throw new SnapshotError('SNAPSHOT_TARGET', `${this.#folder}: ${messageOf(error)}`, { cause: error })
    }
  }
}
