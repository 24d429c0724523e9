import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import {
  LMDB_LAYOUTS,
  type LmdbLayout,
  type LmdbTree,
  META,
  NO_PAGE,
  readTree,
  TREE_BYTES,
} from './lmdbLayout.ts'
import { LmdbPages } from './lmdbPages.ts'

/** How a file of LMDB is looked at. */
export interface LmdbCheck {
  /** Reads every page that is in use, too: only right where nobody writes the file. */
  readonly pages: boolean
}

const MAGIC = 0xbeefc0de
const VERSION_MASK = 0xffff
const SMALLEST_PAGE = 512
const LARGEST_PAGE = 65_536
/** Places behind the header of a meta page: magic, version, address, map size, two trees, last page, transaction. */
const VERSION = 4
const TREES = 24
const LAST_PAGE = TREES + 2 * TREE_BYTES
const TRANSACTION = LAST_PAGE + 8
const META_BYTES = TRANSACTION + 8
/** Kinds of a meta page's two trees: the one of free pages has numbers as keys, and the file's flags above them. */
const TREE_FLAGS = [0x08, 0]
const TREE_FLAGS_MASK = 0x0fff

/** Looks at a file that another process, such as a command on keys, may be writing. */
const TRIES = 5

interface MetaPage {
  readonly layout: LmdbLayout
  readonly pageBytes: number
  readonly trees: readonly LmdbTree[]
  readonly lastPage: bigint
  readonly transaction: bigint
}

/**
 * What is wrong with a file of LMDB, in its own format or that of lmdb-js; null when nothing is, or there is none.
 * Asked before the file is mapped, for a page that is not there ends the process with a signal.
 * @param path of the file, not of its folder
 */
export function checkLmdbFile(path: string, { pages }: LmdbCheck): string | null {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    let damage: string | null = null
    for (let tries = 0; tries < TRIES; tries += 1) {
      damage = checkFile(file, pages)
      if (damage === null) break
    }
    return damage
  } finally {
    closeSync(file)
  }
}

function checkFile(file: number, walks: boolean): string | null {
  const { size } = fstatSync(file)
  if (size === 0) return null
  const first = readMeta(file, 0)
  if (first === null) return 'its first meta page is not one'
  const second = readMeta(file, first.pageBytes)
  if (second === null || second.pageBytes !== first.pageBytes || second.layout !== first.layout)
    return 'its second meta page is not one'
  if (!followOneAnother(first.transaction, second.transaction))
    return `its meta pages are of the transactions ${first.transaction} and ${second.transaction}`
  const newest = second.transaction > first.transaction ? second : first
  const needed = (newest.lastPage + 1n) * BigInt(newest.pageBytes)
  // Pages at the end that are free again may never have been written: then only the trees tell.
  if (!walks && needed <= BigInt(size)) return null
  return new LmdbPages(file, size, newest).check()
}

/** Transactions write the two pages by turns; both are of none in a new file. */
function followOneAnother(even: bigint, odd: bigint): boolean {
  if (even === 0n && odd === 0n) return true
  return even % 2n === 0n && (even === odd + 1n || odd === even + 1n)
}

function readMeta(file: number, at: number): MetaPage | null {
  const bytes = Buffer.alloc(LARGEST_HEADER + META_BYTES)
  if (readSync(file, bytes, 0, bytes.length, at) < bytes.length) return null
  for (const [version, layout] of LMDB_LAYOUTS) {
    const meta = bytes.subarray(layout.header)
    const isMeta = bytes.readUInt16LE(layout.flags) === META && meta.readUInt32LE(0) === MAGIC
    if (!isMeta || (meta.readUInt32LE(VERSION) & VERSION_MASK) !== version) continue
    const pageBytes = meta.readUInt32LE(TREES)
    if (pageBytes < SMALLEST_PAGE || pageBytes > LARGEST_PAGE || (pageBytes & (pageBytes - 1)) !== 0)
      return null
    const lastPage = meta.readBigUInt64LE(LAST_PAGE)
    const trees = [0, 1].map((tree) => readTree(meta, TREES + tree * TREE_BYTES))
    const isPlausible = trees.every(
      ({ flags, root }, tree) =>
        (flags & TREE_FLAGS_MASK) === TREE_FLAGS[tree] && (root === NO_PAGE || root <= lastPage),
    )
    if (!isPlausible || lastPage > BigInt(Number.MAX_SAFE_INTEGER) / BigInt(pageBytes)) return null
    return { layout, pageBytes, trees, lastPage, transaction: meta.readBigUInt64LE(TRANSACTION) }
  }
  return null
}

const LARGEST_HEADER = Math.max(...[...LMDB_LAYOUTS.values()].map(({ header }) => header))
