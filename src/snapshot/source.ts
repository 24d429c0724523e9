import type { ChunkEntry } from './manifest.ts'

/** Source of a snapshot. Callers check everything it returns. */
export interface SnapshotSource {
  /** Folder or address, for messages. */
  readonly name: string
  /** Bytes of the manifest. @throws SnapshotError `SNAPSHOT_SOURCE` */
  manifest(): Promise<Buffer>
  /** Content of the signature file; null when there are none. @throws SnapshotError `SNAPSHOT_SOURCE` */
  signatures(): Promise<Buffer | null>
  /** Bytes of the file of a chunk. @throws SnapshotError `SNAPSHOT_SOURCE`, `SNAPSHOT_CHUNK` */
  chunk(entry: ChunkEntry): Promise<Buffer>
}
