import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { createRandom } from '../support/random.ts'

const PAGE = 4096
const META_BYTES = 160
/** Leaves no byte of a file as it was. */
const SEED = 7

/** A way in which a file is damaged. */
export interface Damage {
  readonly name: string
  /** Whether every file that is damaged so must be refused; else a file that it does no harm to may be used. */
  readonly isFatal: boolean
  apply(path: string): void
}

/** Ways in which the file of an LMDB environment is damaged. */
export const LMDB_DAMAGES: readonly Damage[] = [
  { name: 'empty', isFatal: true, apply: (path) => truncateSync(path, 0) },
  { name: 'garbage', isFatal: true, apply: (path) => overwrite(path, 0, Number.POSITIVE_INFINITY) },
  { name: 'first meta page torn', isFatal: true, apply: (path) => overwrite(path, 0, META_BYTES) },
  { name: 'second meta page torn', isFatal: true, apply: (path) => overwrite(path, PAGE, META_BYTES) },
  {
    name: 'both meta pages torn',
    isFatal: true,
    apply: (path) => {
      overwrite(path, 0, META_BYTES)
      overwrite(path, PAGE, META_BYTES)
    },
  },
  { name: 'cut to half', isFatal: true, apply: (path) => cut(path, (bytes) => bytes / 2) },
  { name: 'cut to its meta pages', isFatal: true, apply: (path) => cut(path, () => 2 * PAGE) },
  { name: 'cut within a meta page', isFatal: true, apply: (path) => cut(path, () => PAGE + 100) },
  // The last page may be a free one.
  { name: 'without its last page', isFatal: false, apply: (path) => cut(path, (bytes) => bytes - PAGE) },
]

/** Ways in which a journal of records is damaged. */
export const JOURNAL_DAMAGES: readonly Damage[] = [
  { name: 'garbage', isFatal: true, apply: (path) => overwrite(path, 0, Number.POSITIVE_INFINITY) },
  { name: 'a record in the middle', isFatal: true, apply: (path) => overwrite(path, 20, 1) },
  { name: 'its last record cut off', isFatal: false, apply: (path) => cut(path, (bytes) => bytes - 3) },
  { name: 'empty', isFatal: false, apply: (path) => truncateSync(path, 0) },
]

/** Turns one bit of a file over. */
export function flipBit(path: string, at: number, bit: number): void {
  const bytes = readFileSync(path)
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at)
  writeFileSync(path, bytes)
}

function cut(path: string, length: (bytes: number) => number): void {
  truncateSync(path, Math.floor(length(readFileSync(path).length)))
}

function overwrite(path: string, start: number, length: number): void {
  const bytes = readFileSync(path)
  const random = createRandom(SEED)
  const end = Math.min(bytes.length, start + length)
  for (let at = start; at < end; at += 1)
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 + Math.floor(random() * 255)), at)
  writeFileSync(path, bytes)
}
