import type { TableReader, TableWriter } from '../../storage/chainEnvironment.ts'

const ENTRY_LENGTH = 33
const CANONICAL = 1

/** A connected block of a height. */
export interface HeightEntry {
  readonly hash: Buffer
  readonly canonical: boolean
}

/** Height as key: 8 bytes, big-endian. */
export function heightKey(height: number): Buffer {
  const key = Buffer.alloc(8)
  key.writeBigUInt64BE(BigInt(height))
  return key
}

/** All connected blocks of a height, the canonical one first. */
export function readHeight(reader: TableReader, height: number): HeightEntry[] {
  const value = reader.get('heights', heightKey(height))
  if (value === undefined) return []
  return Array.from({ length: value.length / ENTRY_LENGTH }, (_, index) => ({
    hash: value.subarray(index * ENTRY_LENGTH + 1, (index + 1) * ENTRY_LENGTH),
    canonical: value[index * ENTRY_LENGTH] === CANONICAL,
  }))
}

/** Hash of the canonical block of a height. */
export function readCanonicalHash(reader: TableReader, height: number): Buffer | undefined {
  const value = reader.get('heights', heightKey(height))
  return value?.[0] === CANONICAL ? value.subarray(1, ENTRY_LENGTH) : undefined
}

/** Adds a block to its height, not canonical. Nothing happens when it is there. */
export function addToHeight(writer: TableWriter, height: number, hash: Buffer): void {
  const entries = readHeight(writer, height)
  if (entries.some((entry) => entry.hash.equals(hash))) return
  writeHeight(writer, height, [...entries, { hash, canonical: false }])
}

/** Makes one block of a height canonical and the others not; null makes none canonical. */
export function setCanonical(writer: TableWriter, height: number, hash: Buffer | null): void {
  const entries = readHeight(writer, height).map((entry) => ({
    hash: entry.hash,
    canonical: hash !== null && entry.hash.equals(hash),
  }))
  writeHeight(writer, height, entries)
}

/** Forgets every block of a height. */
export function clearHeight(writer: TableWriter, height: number): void {
  writer.remove('heights', heightKey(height))
}

function writeHeight(writer: TableWriter, height: number, entries: readonly HeightEntry[]): void {
  const ordered = [...entries].sort((a, b) => Number(b.canonical) - Number(a.canonical))
  const value = Buffer.concat(
    ordered.map(({ hash, canonical }) => Buffer.concat([Buffer.from([canonical ? CANONICAL : 0]), hash])),
  )
  writer.put('heights', heightKey(height), value)
}
