import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import { encodeKey, type KeyRecord } from '../../../src/storage/access/keyRecord.ts'
import {
  type DayUsage,
  encodeMethods,
  encodeUsage,
  usageKey,
} from '../../../src/storage/access/usageRecord.ts'

/** What a member of a fleet had in its access store before grow-only counters, as that version wrote it. */
export interface OldStore {
  readonly fleet: string
  readonly member: string
  readonly epoch: string
  /** When the stream of usage was made. */
  readonly stream: string
  readonly position: number
  /** Last sequence that this member gave a delta. */
  readonly sealed: number
  readonly keys: readonly KeyRecord[]
  /** Sum of the stream up to the position. */
  readonly sum: readonly DayUsage[]
  /** What this member counted and the sum does not have. */
  readonly own: readonly DayUsage[]
  /** Last sequences in the sum, by member and epoch. */
  readonly applied: Readonly<Record<string, number>>
}

/** Writes such a store, format 2 of the access store included. */
export async function writeOldStore(dataDir: string, store: OldStore): Promise<void> {
  const path = join(dataDir, 'access')
  mkdirSync(path, { recursive: true })
  const root = open({ path, maxDbs: 16, keyEncoding: 'binary', encoding: 'binary', noSubdir: false })
  const table = (name: string) =>
    root.openDB<Buffer, Buffer>({ name, keyEncoding: 'binary', encoding: 'binary' })
  const metadata = table('metadata')
  await metadata.put(Buffer.from('format'), Buffer.from('\x020.1.0'))
  await metadata.put(Buffer.from('timezone'), Buffer.from('UTC'))
  const { fleet, member, epoch, sealed, stream, position } = store
  const mark = { format: 1, fleet, member, epoch, sealed, stream, position, storedAt: '' }
  await metadata.put(Buffer.from('fleet'), Buffer.from(JSON.stringify(mark)))
  for (const key of store.keys) await table('fleetKeys').put(Buffer.from(key.id), encodeKey(key))
  for (const [name, rows] of [
    ['usage', store.sum],
    ['own', store.own],
    ['unsent', store.own],
  ] as const)
    for (const { id, day, methods } of rows) await table(name).put(usageKey(id, day), encodeUsage(methods))
  for (const [writer, sequence] of Object.entries(store.applied)) {
    const bytes = Buffer.alloc(6)
    bytes.writeUIntBE(sequence, 0, 6)
    await table('applied').put(Buffer.from(writer, 'latin1'), bytes)
  }
  for (const name of ['keys', 'outbox', 'incoming']) table(name)
  await root.close()
}

/** A delta of the stream of usage, as that version published it. */
export function oldDelta(member: string, epoch: string, sequence: number, rows: readonly DayUsage[]): string {
  const encoded = rows.map(({ id, day, methods }) => [id, day, encodeMethods(methods)])
  return JSON.stringify({ format: 1, member, epoch, sequence, rows: encoded })
}
