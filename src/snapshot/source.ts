import type { ChunkEntry } from './manifest.ts'

/** Where a snapshot is read from. Everything that it gives is checked by whoever asks. */
export interface SnapshotSource {
  /** Folder or address, for messages. */
  readonly name: string
  /** Bytes of the manifest. @throws SnapshotError `SNAPSHOT_SOURCE` */
  manifest(): Promise<Buffer>
  /** Text of the signatures; null when there are none. @throws SnapshotError `SNAPSHOT_SOURCE` */
  signatures(): Promise<Buffer | null>
  /** Bytes of the file of a chunk. @throws SnapshotError `SNAPSHOT_SOURCE`, `SNAPSHOT_CHUNK` */
  chunk(entry: ChunkEntry): Promise<Buffer>
}
