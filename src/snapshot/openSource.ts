import { FolderSource } from './folderSource.ts'
import { HttpSource } from './httpSource.ts'
import type { SnapshotSource } from './source.ts'

/** The snapshot of a folder, or of an `http` or `https` address. */
export function openSource(location: string, signal?: AbortSignal): SnapshotSource {
  return /^https?:\/\//i.test(location) ? new HttpSource(location, signal) : new FolderSource(location)
}
