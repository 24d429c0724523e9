import { join } from 'node:path'
import type { Manifest } from '../../src/snapshot/manifest.ts'
import { REGTEST } from './openTestChain.ts'
import { importRecordedChain } from './recordedDataDir.ts'
import { makeSnapshot } from './snapshots.ts'

/** A snapshot with the data directory that it was made of. */
export interface RecordedSnapshot {
  readonly source: string
  readonly snapshot: string
  readonly manifest: Manifest
}

/** Makes a full snapshot of the recorded chain below a folder, of small chunks, so that there are many. */
export async function makeRecordedSnapshot(folder: string): Promise<RecordedSnapshot> {
  const source = join(folder, 'source')
  await importRecordedChain(source)
  const snapshot = join(folder, 'snapshot')
  const options = { spec: REGTEST, dataDir: source, folder: snapshot, full: true, blockChunkBytes: 512 }
  const { manifest } = await makeSnapshot(options)
  return { source, snapshot, manifest }
}
